/** Searches the registry of Smithery for MCP servers, where the user has a key for it. */
import { isRecord, withTimeout, type Env } from "@tau/utils";

export interface FoundInRegistry {
	/** As the registry calls it: `owner/server`. */
	id: string;
	title: string;
	description: string;
	/** How often it is used. */
	uses: number;
}

/** How long the registry may take. */
const searchMs = 15_000;
const most = 20;

/** Rejects with what is wrong, for the user. */
export async function searchRegistry(
	query: string,
	env: Env,
	signal: AbortSignal,
): Promise<FoundInRegistry[]> {
	const body = await ask(`/servers?q=${encodeURIComponent(query)}&pageSize=${most}`, env, signal);
	const servers = isRecord(body) && Array.isArray(body.servers) ? body.servers : [];
	return servers.filter(isRecord).map(({ qualifiedName, displayName, description, useCount }) => ({
		id: String(qualifiedName),
		title: String(displayName ?? qualifiedName),
		description: String(description ?? ""),
		uses: Number(useCount) || 0,
	}));
}

/** The definition of a server of the registry. Rejects where it cannot be reached by an address. */
export async function registryServer(
	id: string,
	env: Env,
	signal: AbortSignal,
): Promise<Record<string, unknown>> {
	const body = await ask(`/servers/${id.split("/").map(encodeURIComponent).join("/")}`, env, signal);
	const connections = isRecord(body) && Array.isArray(body.connections) ? body.connections : [];
	const addresses = [body, ...connections].flatMap((each) =>
		isRecord(each) && typeof each.deploymentUrl === "string" ? [each.deploymentUrl] : [],
	);
	const address = addresses.find((url) => URL.canParse(url));
	if (address === undefined)
		throw new Error(`${id} has no address to connect to: it is a program. See its page for the command.`);
	return { type: "http", url: address };
}

/** `SMITHERY_API_URL` is for registries of companies. */
async function ask(path: string, env: Env, signal: AbortSignal): Promise<unknown> {
	const key = env.SMITHERY_API_KEY;
	if (!key)
		throw new Error(
			`Searching needs a key: create one at ${env.SMITHERY_URL ?? "https://smithery.ai"}/account/api-keys and set SMITHERY_API_KEY.`,
		);
	const base = (env.SMITHERY_API_URL ?? "https://api.smithery.ai").replace(/\/+$/, "");
	using deadline = withTimeout(signal, searchMs, "the registry did not answer in time");
	const response = await fetch(base + path, {
		headers: { authorization: `Bearer ${key}`, accept: "application/json" },
		signal: deadline.signal,
	});
	if (!response.ok) throw new Error(`Smithery answered with status ${response.status}.`);
	return await response.json();
}
