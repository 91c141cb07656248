# perl guard.pl PROGRAM [ARGUMENT...]
#
# Runs a program and ends every process that came of it: when the program ends, when the server says so on descriptor 3,
# and when that descriptor closes because the server is gone, in whatever way.
#
# The guard is in Perl because Debian and macOS always have it, it starts in milliseconds, and it can ask Linux to
# become the parent of orphans (a "subreaper"). Then processes that called setsid or forked twice stay findable, and
# the tree is gone when there is no child left to wait for. Elsewhere the tree is what ps shows below us plus the
# program's process group, which a daemon can leave.
#
# The guard sends the server the program's output on descriptor 1 and "status N" (as from wait) on descriptor 3.

use strict;
use warnings;
use Config;

my $NOHANG = 1;
my $ROUND_SECONDS = 0.02;
my $PATIENCE_ROUNDS = 100;      # between TERM and KILL when the program was told to end
my $LEFTOVER_ROUNDS = 15;       # the same for what it left behind when it ended by itself
my $KILL_ROUNDS = 250;

my %prctl = (x86_64 => 157, aarch64 => 167, riscv64 => 167);
my ($machine) = split /-/, $Config{archname};
my $adopts = $^O eq 'linux' && $prctl{$machine} && syscall($prctl{$machine}, 36, 1, 0, 0, 0) == 0;

delete $ENV{PERL_BADLANG};
open(my $server, '+<&=', 3) or die "guard: no pipe from the server\n";
# The program writes to a real pipe: programs open /dev/stdout, which the server's socket would refuse.
pipe(my $output, my $input) or die "guard: $!\n";

my $program = fork() // die "guard: $!\n";
if ($program == 0) {
  setpgrp(0, 0);
  close $server;
  open(STDOUT, '>&', $input);
  open(STDERR, '>&', $input);
  no warnings 'exec';
  exec { $ARGV[0] } @ARGV;
  print STDERR "Cannot start $ARGV[0]: $!\n";
  exit 127;
}
close $input;

my ($status, $told, $flowing) = (undef, 0, 1);
$SIG{PIPE} = 'IGNORE';
$SIG{CHLD} = sub { };
$SIG{$_} = sub { $told = 1 } for qw(TERM INT HUP);

until ($told || defined $status) {
  # We wait a second at most: the signal of a child that ends just before the wait begins would wake nobody.
  my $ready = readable(1);
  $told = 1 if vec($ready, fileno $server, 1);
  forward() if vec($ready, fileno $output, 1);
  reap();
}
$SIG{CHLD} = 'DEFAULT';
syswrite $server, "status $status\n" if defined $status;
my $reported = defined $status;

my $patience = $reported ? $LEFTOVER_ROUNDS : $PATIENCE_ROUNDS;
my (%asked, %groups);
$groups{$program} = 1;
for my $round (0 .. $patience + $KILL_ROUNDS) {
  last if !reap() && $adopts;
  # Whole groups are killed at once too: a tree that forks faster than we can list it would outrun us.
  kill KILL => map { -$_ } keys %groups if $round >= $patience;
  my @left = tree();
  last if !@left && !$adopts;
  if ($round < $patience) { kill TERM => grep { !$asked{$_}++ } @left }
  else { kill KILL => @left }
  forward() if vec(readable(0), fileno $output, 1);
  select(undef, undef, undef, $ROUND_SECONDS);
}

# Nobody should hold the pipe now. We do not wait for a process that escaped and still does.
forward() while $flowing && vec(readable(0.1), fileno $output, 1);
syswrite $server, "status $status\n" if defined $status && !$reported;

sub readable {
  my ($seconds) = @_;
  my $set = '';
  vec($set, fileno $server, 1) = 1 unless $told || defined $status;
  vec($set, fileno $output, 1) = 1 if $flowing;
  return select($set, undef, undef, $seconds) > 0 ? $set : '';
}

sub forward {
  my $read = sysread $output, my $bytes, 65536;
  $flowing = 0 unless $read || (!defined $read && $!{EINTR});
  while ($read && $flowing && length $bytes) {
    my $written = syswrite STDOUT, $bytes;
    if ($written) { substr($bytes, 0, $written) = '' }
    elsif (!$!{EINTR}) { $flowing = 0 }
  }
}

# False when there is no child left, adopted ones included.
sub reap {
  my $pid;
  while (($pid = waitpid(-1, $NOHANG)) > 0) { $status = $? if $pid == $program }
  return $pid == 0;
}

sub tree {
  my (%children, %group, @group);
  for (processes()) {
    my ($pid, $parent, $group) = @$_;
    $group{$pid} = $group;
    push @{ $children{$parent} }, $pid;
    push @group, $pid if !$adopts && $group == $program;
  }
  my (%seen, @found);
  my @open = ($$, @group);
  while (defined(my $pid = shift @open)) {
    next if $seen{$pid}++;
    push @found, $pid unless $pid == $$;
    push @open, @{ $children{$pid} // [] };
  }
  %groups = map { $_ => 1 } grep { $_ && $_ != $$ } @group{@found};
  return @found;
}

sub processes {
  if (opendir my $proc, '/proc/self/task') {
    opendir $proc, '/proc';
    return map { stat_of($_) } grep { /^\d+$/ } readdir $proc;
  }
  my $ps = open(my $list, '-|', 'ps', '-axo', 'pid=,ppid=,pgid=') or return ();
  return grep { $_->[0] != $ps } map { [split] } <$list>;
}

sub stat_of {
  my ($pid) = @_;
  open(my $file, '<', "/proc/$pid/stat") or return ();
  my $line = join '', <$file>;
  return $line =~ /^\d+ \(.*\) \S (\d+) (\d+)/s ? [$pid, $1, $2] : ();
}
