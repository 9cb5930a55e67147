/** The search services, one row each, in the order in which they are tried; and which of them a session can use. */
import { geminiAddresses, type SearchAccess, type SearchService, type ServiceId } from "./service.ts";

type Rest = Partial<Pick<SearchService, "isExplicitlyAvailable" | "keepsBothCounts" | "isAvailable">>;

/** A service that needs a key of one of these providers; by default the one of its own name. */
function row(
	id: ServiceId,
	label: string,
	address: string | SearchService["addresses"],
	load: SearchService["load"],
	{ keys = [id], ...rest }: Rest & { keys?: readonly string[] } = {},
): SearchService {
	return {
		id,
		label,
		addresses: typeof address === "string" ? () => [address] : address,
		isAvailable: (access) => keys.some((key) => access.keys.has(key)),
		load,
		...rest,
	};
}

const lists = async () => await import("./providers/result-lists.ts");
const remote = async () => await import("./providers/remote-tools.ts");

const mayUseExa = ({ settings }: SearchAccess): boolean =>
	settings.get("exa.enabled") && settings.get("exa.enableSearch");

/** True if one of these variables is set. */
const hasVariable = ({ keys }: SearchAccess, ...names: readonly string[]): boolean =>
	names.some((name) => keys.variable(name) !== undefined);

const rows: readonly SearchService[] = [
	row("tavily", "Tavily", "https://api.tavily.com", async () => (await lists()).tavily),
	row(
		"perplexity",
		"Perplexity",
		(access) =>
			hasVariable(access, "PERPLEXITY_COOKIES") || !access.keys.has("perplexity")
				? ["https://www.perplexity.ai"]
				: ["https://api.perplexity.ai", "https://www.perplexity.ai"],
		async () => (await import("./providers/perplexity.ts")).perplexity,
		{
			isAvailable: (access) => hasVariable(access, "PERPLEXITY_COOKIES") || access.keys.has("perplexity"),
			isExplicitlyAvailable: () => true,
			keepsBothCounts: true,
		},
	),
	row("brave", "Brave", "https://api.search.brave.com", async () => (await lists()).brave),
	row("jina", "Jina", "https://s.jina.ai", async () => (await lists()).jina),
	row(
		"kimi",
		"Kimi",
		({ keys }) => [
			keys.variable("MOONSHOT_SEARCH_BASE_URL") ??
				keys.variable("KIMI_SEARCH_BASE_URL") ??
				"https://api.kimi.com",
		],
		async () => (await lists()).kimi,
		{
			isAvailable: (access) =>
				hasVariable(access, "MOONSHOT_SEARCH_API_KEY", "KIMI_SEARCH_API_KEY") ||
				["kimi-code", "moonshot"].some((id) => access.keys.has(id)),
		},
	),
	row(
		"anthropic",
		"Anthropic",
		({ keys }) => [
			keys.variable("ANTHROPIC_SEARCH_BASE_URL") ?? keys.address("anthropic") ?? "https://api.anthropic.com",
		],
		async () => (await import("./providers/anthropic.ts")).anthropic,
		{
			isAvailable: (access) =>
				hasVariable(access, "ANTHROPIC_SEARCH_API_KEY") || access.keys.has("anthropic"),
		},
	),
	row(
		"gemini",
		"Gemini",
		({ keys }) => geminiAddresses(keys),
		async () => (await import("./providers/gemini.ts")).gemini,
		{ keys: ["google-gemini-cli", "google-antigravity", "google"] },
	),
	row(
		"codex",
		"Codex",
		({ keys }) => [keys.address(keys.has("openai-codex") ? "openai-codex" : "openai") ?? ""],
		async () => (await import("./providers/codex.ts")).codex,
		{ keys: ["openai-codex", "openai"] },
	),
	row("zai", "Z.AI", "https://api.z.ai", async () => (await remote()).zai),
	row(
		"exa",
		"Exa",
		({ keys }) => [keys.has("exa") ? "https://api.exa.ai" : "https://mcp.exa.ai"],
		async () => (await remote()).exa,
		{
			isAvailable: (access) => access.keys.has("exa") && mayUseExa(access),
			isExplicitlyAvailable: mayUseExa,
		},
	),
	row("parallel", "Parallel", "https://api.parallel.ai", async () => (await lists()).parallel),
	row("kagi", "Kagi", "https://kagi.com", async () => (await lists()).kagi),
	row("synthetic", "Synthetic", "https://api.synthetic.new", async () => (await lists()).synthetic),
	row(
		"searxng",
		"SearXNG",
		(access) => [searxngEndpoint(access) ?? ""],
		async () => (await lists()).searxng,
		{ isAvailable: (access) => searxngEndpoint(access) !== undefined },
	),
];

function searxngEndpoint({ settings, keys }: SearchAccess): string | undefined {
	return settings.get("searxng.endpoint") ?? keys.variable("SEARXNG_ENDPOINT");
}

/** The services to try, in order: the one that the user has chosen, then the others that can be used. */
export function serviceChain(access: SearchAccess): SearchService[] {
	const chosen = access.settings.get("providers.webSearch");
	return rows
		.toSorted((a, b) => Number(b.id === chosen) - Number(a.id === chosen))
		.filter((each) =>
			each.id === chosen
				? (each.isExplicitlyAvailable ?? each.isAvailable)(access)
				: each.isAvailable(access),
		);
}
