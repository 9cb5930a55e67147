/** Says what there is to know about MCP servers, for a user. */
import type { McpServerInfo, McpState } from "@tau/resources/mcp";
import { shortenHome } from "@tau/utils";

export const stateLabels: Readonly<Record<McpState, string>> = {
	disabled: "disabled",
	untrusted: "not trusted",
	starting: "starting",
	ready: "ready",
	failed: "failed",
	"needs-auth": "needs login",
};

/** What to do about a server that is not ready. */
export function adviceOf({ name, state, source }: McpServerInfo): string | undefined {
	if (state === "untrusted") return `Review ${shortenHome(source)}, then run /trust.`;
	if (state === "needs-auth") return `Log in with /mcp reauth ${name}.`;
	if (state === "disabled") return `Enable it with /mcp enable ${name}.`;
	if (state === "failed") return `Try again with /mcp test ${name}.`;
	return undefined;
}

export function toolCount({ tools, state }: McpServerInfo): string {
	if (tools.length === 0 && state !== "ready") return "";
	const enabled = tools.filter((tool) => tool.enabled).length;
	const count = `${tools.length} ${tools.length === 1 ? "tool" : "tools"}`;
	return enabled === tools.length ? count : `${enabled} of ${count}`;
}

/** One server, whole: its definition, its state, its tools with their cost, and its log. */
export function serverLines(server: McpServerInfo): string[] {
	const { name, state, transport, target, source, level, error, protocol, startedMs, tokens } = server;
	const facts = [
		`${transport}: ${target}`,
		`defined in ${shortenHome(source)} (${level})`,
		...(protocol === undefined
			? []
			: [`protocol ${protocol}${startedMs === undefined ? "" : `, started in ${startedMs} ms`}`]),
		...(server.isLoggedIn ? ["logged in"] : []),
		...(error === undefined ? [] : [error]),
	];
	const advice = adviceOf(server);
	return [
		`${name}: ${stateLabels[state]}`,
		...[...facts, ...(advice === undefined ? [] : [advice])].map((line) => `  ${line}`),
		...toolLines(server, tokens),
		...(server.prompts.length > 0 ? [`  prompts: ${server.prompts.join(", ")}`] : []),
		...(server.resources > 0 ? [`  resources: ${server.resources} (mcp://${name}/…)`] : []),
		...(server.log.length > 0 ? ["  log:", ...server.log.slice(-shownLog).map((line) => `    ${line}`)] : []),
	];
}

/** Lines of the log, and tools, that one answer shows. */
const shownLog = 10;
const shownTools = 50;

function toolLines({ tools }: McpServerInfo, declared: number): string[] {
	if (tools.length === 0) return [];
	const cost = tools.reduce((sum, tool) => sum + tool.tokens, 0);
	const head = `  ${tools.length} ${tools.length === 1 ? "tool" : "tools"}: ${declared} tokens in each request, ${cost} if all were declared`;
	const lines = tools
		.slice(0, shownTools)
		.map(({ toolName, tokens, enabled }) => `    ${toolName}  ${enabled ? `${tokens} tokens` : "off"}`);
	const more = tools.length - lines.length;
	return [head, ...lines, ...(more > 0 ? [`    … and ${more} more`] : [])];
}
