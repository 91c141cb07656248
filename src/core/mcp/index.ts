export { type McpChange, tellMcpChange, tellMcpDown } from './news.ts'
