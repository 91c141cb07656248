export { type McpChange, tellMcpBack, tellMcpChange, tellMcpDown } from './news.ts'
