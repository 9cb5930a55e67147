/** The Responses protocol on Azure, where every user has a server and deployment names of their own. */
import { env, type Env } from "@tau/utils/portable";
import type { Json } from "../../json.ts";
import type { Context, Model, StreamOptions } from "../../types.ts";
import type { Codec } from "../codec.ts";
import { compactBody, compactPath } from "./compact.ts";
import { ResponsesDecoder } from "./decode.ts";
import { encodeSystem, platformBody } from "./encode.ts";
import { encodeTurns, itemsOf } from "./input.ts";

export const azureOpenaiResponses: Codec = {
	api: "azure-openai-responses",
	framing: "sse",
	auth: "api-key",
	baseUrl,
	path: (_model, { compaction }) => `/responses${compaction ? compactPath : ""}${versionQuery()}`,
	headers: () => ({}),
	encode,
	decoder: (builder) => new ResponsesDecoder(builder),
};

function baseUrl(model: Model, from: Env): string {
	const resource = env("AZURE_OPENAI_RESOURCE_NAME", from);
	const address =
		env("AZURE_OPENAI_BASE_URL", from) ??
		(resource ? `https://${resource}.openai.azure.com` : undefined) ??
		model.baseUrl;
	if (address) return withPath(address);
	throw new Error("Azure OpenAI has no address. Set AZURE_OPENAI_BASE_URL or AZURE_OPENAI_RESOURCE_NAME");
}

/** The portal shows the bare address of a resource; the protocol is below it. */
function withPath(address: string): string {
	const isBare = URL.canParse(address) && /^https:\/\/[^/]+\.azure\.com\/?$/i.test(address);
	return isBare ? new URL("/openai/v1", address).href : address;
}

function versionQuery(): string {
	const version = env("AZURE_OPENAI_API_VERSION");
	return version === undefined || version === "v1" ? "" : `?api-version=${encodeURIComponent(version)}`;
}

function encode(model: Model, context: Context, options: StreamOptions): Json {
	if (options.compaction) return compactBody(model, context, options, deploymentOf(model.id));
	return {
		...platformBody(model, context, options),
		model: deploymentOf(model.id),
		store: false,
		input: [...encodeSystem(model, context), ...itemsOf(encodeTurns(model, context.messages))],
		...model.compat?.extraBody,
	};
}

/**
 * `AZURE_OPENAI_DEPLOYMENT_NAME_MAP` is `model=deployment,model=deployment`; others are deployed by their own name.
 */
function deploymentOf(modelId: string): string {
	const pairs = (env("AZURE_OPENAI_DEPLOYMENT_NAME_MAP") ?? "").split(",").map((pair) => pair.split("="));
	const pair = pairs.find(([id, deployment]) => id?.trim() === modelId && deployment?.trim());
	return pair?.[1]?.trim() ?? modelId;
}
