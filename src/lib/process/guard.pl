# perl guard.pl [NAME=NUMBER...] -- PROGRAM [ARGUMENT...]
#
# Runs a program and ends every process that came of it: when the program ends, when the server says so on descriptor 3,
# and when that descriptor closes because the server is gone, in whatever way.
#
# The guard is in Perl because Debian and macOS always have it, it starts in milliseconds, and it can ask Linux to
# become the parent of orphans (a "subreaper"). Then processes that called setsid or forked twice stay findable, and
# the tree is gone when there is no child left to wait for. Elsewhere the tree is what ps shows below us plus the
# program's process group, which a daemon can leave.
#
# The guard sends the server the program's output on descriptor 1 and "status N" (as from wait) on descriptor 3; before
# that "over WHAT" when it ended the tree because of a limit.
#
# open       how many descriptors, from 4 on, the program is meant to have; every other one above 2 is closed
# scoped     1: abstract Unix sockets of processes outside cannot be reached (Linux 6.12 and newer)
# errors     1: what the program prints as errors goes to our own descriptor 2, not into its output
# file       the most bytes a file may have; a hard limit
# processes  the most processes, and
# memory     the most kilobytes of memory of the whole tree, looked at every second

use strict;
use warnings;
use Config;

my $NOHANG = 1;
my $ROUND_SECONDS = 0.02;
my $PATIENCE_ROUNDS = 100;      # between TERM and KILL when the program was told to end
my $LEFTOVER_ROUNDS = 15;       # the same for what it left behind when it ended by itself
my $KILL_ROUNDS = 250;

my %prctl = (x86_64 => 157, aarch64 => 167, riscv64 => 167);
my %prlimit = (x86_64 => 302, aarch64 => 261, riscv64 => 261);
my %keyctl = (x86_64 => 250, aarch64 => 219, riscv64 => 219);
my ($LANDLOCK_CREATE, $LANDLOCK_RESTRICT) = (444, 446);
my ($machine) = split /-/, $Config{archname};
my $adopts = $^O eq 'linux' && $prctl{$machine} && syscall($prctl{$machine}, 36, 1, 0, 0, 0) == 0;

my %given = (open => 0);
while (defined(my $word = shift @ARGV)) {
  last if $word eq '--';
  my ($name, $number) = split /=/, $word;
  $given{$name} = $number;
}
delete $ENV{PERL_BADLANG};
close_inherited();
open(my $server, '+<&=', 3) or die "guard: no pipe from the server\n";
# The program writes to a real pipe: programs open /dev/stdout, which the server's socket would refuse.
pipe(my $output, my $input) or die "guard: $!\n";

my $program = fork() // die "guard: $!\n";
if ($program == 0) {
  setpgrp(0, 0);
  close $server;
  bound();
  forget_gone() if $given{scoped};
  open(STDOUT, '>&', $input);
  open(STDERR, '>&', $input) unless $given{errors};
  own_keys();
  no warnings 'exec';
  exec { $ARGV[0] } @ARGV;
  print STDERR "Cannot start $ARGV[0]: $!\n";
  exit 127;
}
close $input;

my ($status, $told, $flowing, $over) = (undef, 0, 1, undef);
my $looked = time;
$SIG{PIPE} = 'IGNORE';
$SIG{CHLD} = sub { };
$SIG{$_} = sub { $told = 1 } for qw(TERM INT HUP);

until ($told || defined $status) {
  # We wait a second at most: the signal of a child that ends just before the wait begins would wake nobody.
  my $ready = readable(1);
  $told = 1 if vec($ready, fileno $server, 1);
  forward() if vec($ready, fileno $output, 1);
  reap();
  next if $looked == time;
  $looked = time;
  $over = excess();
  $told = 1 if defined $over;
}
$SIG{CHLD} = 'DEFAULT';
syswrite $server, "over $over\n" if defined $over;
syswrite $server, "status $status\n" if defined $status;
my $reported = defined $status;

my $patience = defined $over ? 0 : $reported ? $LEFTOVER_ROUNDS : $PATIENCE_ROUNDS;
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

# Node closes only some of what it inherited itself.
sub close_inherited {
  opendir my $open, '/dev/fd' or return;
  my @found = grep { /^\d+$/ && $_ >= 4 + $given{open} } readdir $open;
  closedir $open;
  shut($_) for @found;
}

sub shut {
  my ($number) = @_;
  open(my $handle, '<&=', $number) or return;
  close $handle;
}

# In the program's own process, before it begins.
sub bound {
  return if $^O ne 'linux';
  # When memory runs out, the system ends a command before it ends the server.
  if (open my $score, '>', '/proc/self/oom_score_adj') { print $score 500; close $score }
  my $size = pack('QQ', ($given{file} // 0) x 2);
  syscall($prlimit{$machine}, 0, 1, $size, 0) if $given{file} && $prlimit{$machine};
  scope() if $given{scoped} && $prctl{$machine};
}

# Keys that the person's session keeps in the kernel are not the command's: it begins with an empty ring of its own.
# Another command may have used up the rings that there can be; then this one does not start.
sub own_keys {
  return if $^O ne 'linux' || !$keyctl{$machine} || syscall($keyctl{$machine}, 1, 0, 0, 0, 0) >= 0;
  return if $!{ENOSYS} || $!{EPERM};
  print STDERR "Cannot start $ARGV[0] without the keys of your session: $!\n";
  exit 127;
}

# A socket that was to be hidden may be gone by now, and bubblewrap cannot mount over what is not there.
sub forget_gone {
  for (my $at = 0; $at + 2 < @ARGV && $ARGV[$at] ne '--'; $at++) {
    next unless $ARGV[$at] eq '--ro-bind' && $ARGV[$at + 1] eq '/dev/null' && !-e $ARGV[$at + 2];
    splice @ARGV, $at--, 3;
  }
}

sub scope {
  my $scopes = pack('QQQ', 0, 0, 1);
  my $rules = syscall($LANDLOCK_CREATE, $scopes, 24, 0);
  return if $rules < 0;
  syscall($prctl{$machine}, 38, 1, 0, 0, 0);
  syscall($LANDLOCK_RESTRICT, $rules, 0);
  shut($rules);
}

# Which limit the tree is over. A program that shares its memory with its children is counted exactly only near the limit.
sub excess {
  my ($used, @tree) = (0, $program);
  for (my $at = 0; $at < @tree; $at++) {
    $used += kilobytes("/proc/$tree[$at]/status", qr/^Rss(?:Anon|Shmem):\s+(\d+)/m);
    push @tree, children($tree[$at]);
    return 'processes' if $given{processes} && @tree > $given{processes};
  }
  return if !$given{memory} || $used <= $given{memory};
  my $exact = 0;
  $exact += kilobytes("/proc/$_/smaps_rollup", qr/^Pss:\s+(\d+)/m) for @tree;
  return $exact > $given{memory} ? 'memory' : undef;
}

sub kilobytes {
  my ($path, $pattern) = @_;
  open(my $file, '<', $path) or return 0;
  my $text = join '', <$file>;
  my $sum = 0;
  $sum += $1 while $text =~ /$pattern/g;
  return $sum;
}

sub children {
  my ($pid) = @_;
  opendir my $threads, "/proc/$pid/task" or return ();
  return map { words("/proc/$pid/task/$_/children") } grep { /^\d/ } readdir $threads;
}

sub words {
  my ($path) = @_;
  open(my $file, '<', $path) or return ();
  return split ' ', <$file> // '';
}

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
