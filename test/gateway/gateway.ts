/** A gateway for tests: the protocols of a played model behind it, each under its name. */
import { stream, type Api, type Model, type Outcome } from "@tau/ai";
import { playModel, testModel, type PlayedModel, type Scenario } from "@tau/ai/testing";
import { Gateway, localUrl, SqliteLedger, type GatewayOptions, type Upstream } from "@tau/gateway";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const protocols = ["messages", "completions", "responses", "google"] as const;
export type Protocol = (typeof protocols)[number];
/** With those that models have and clients do not. */
export const providers = [...protocols, "bedrock", "ollama", "vertex", "codex", "azure"] as const;
export type Provider = (typeof providers)[number];

const apis: Readonly<Record<Provider, Api>> = {
	messages: "anthropic-messages",
	completions: "openai-completions",
	responses: "openai-responses",
	google: "google-generative-ai",
	bedrock: "bedrock-converse-stream",
	ollama: "ollama-chat",
	vertex: "google-vertex",
	codex: "openai-codex-responses",
	azure: "azure-openai-responses",
};

export function servedModel(played: PlayedModel, protocol: Provider, more: Partial<Model> = {}): Model {
	const addresses: Partial<Record<Provider, string>> = {
		completions: played.openaiUrl,
		responses: played.openaiUrl,
		google: played.googleUrl,
	};
	return testModel({
		id: `played-${protocol}`,
		api: apis[protocol],
		provider: protocol,
		baseUrl: addresses[protocol] ?? played.url,
		reasoning: true,
		maxTokens: 64_000,
		cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
		...more,
	});
}

export interface ServedGateway extends AsyncDisposable {
	url: string;
	played: PlayedModel;
	gateway: Gateway;
	/** The outcomes that were reported, with the key of the request. */
	outcomes: { key: string; outcome: Outcome }[];
}

export interface ServeOptions extends Partial<Omit<GatewayOptions, "upstream">> {
	models?: readonly Model[];
	/** The credentials of every provider, in the order of their use; the next one after a refusal. */
	keys?: readonly string[];
	played?: PlayedModel;
}

export async function serveGateway(scenario: Scenario, options: ServeOptions = {}): Promise<ServedGateway> {
	const owned = new AsyncDisposableStack();
	const played = options.played ?? owned.use(await playModel(scenario));
	const directory = mkdtempSync(join(tmpdir(), "tau-gateway-"));
	owned.defer(() => rmSync(directory, { recursive: true }));
	const ledger = options.ledger ?? owned.use(new SqliteLedger(join(directory, "gateway.db")));
	const outcomes: ServedGateway["outcomes"] = [];
	const upstream = upstreamOf(
		options.models ?? providers.map((each) => servedModel(played, each)),
		options.keys,
		outcomes,
	);
	const bind = { hostname: "127.0.0.1", port: 0, isLoopback: true };
	const gateway = owned.use(new Gateway({ bind, token: () => "token", ...options, ledger, upstream }));
	return {
		url: localUrl(gateway.bind),
		played,
		gateway,
		outcomes,
		[Symbol.asyncDispose]: () => owned.disposeAsync(),
	};
}

function upstreamOf(
	models: readonly Model[],
	keys: readonly string[] = ["secret"],
	outcomes: ServedGateway["outcomes"],
): Upstream {
	const refused = new Set<string>();
	return {
		models: () => models,
		async lease() {
			const key = keys.find((each) => !refused.has(each)) ?? keys[0] ?? "";
			return {
				access: { apiKey: key },
				report(outcome) {
					outcomes.push({ key, outcome });
					if (outcome.kind !== "ok") refused.add(key);
				},
			};
		},
		limits: async () => [],
		check: async () => [{ provider: "messages", ok: true }],
		stream,
	};
}
