/** The addresses of the gateway under which models answer, each with the protocol of its clients. */
import { namedModel, servedProtocols, string, type Json, type ServedProtocol } from "@tau/ai/serving";

export interface ModelRoute {
	protocol: ServedProtocol;
	/** The model that the request names, in its body or in its address. */
	model(body: Json): string;
	/** What the address says that other protocols say in the body. */
	fields: Json;
	/** The provider's path for the same request, below its base URL. */
	path(modelId: string): string;
	/** The client only asks how many tokens the request has. */
	isCount?: true;
	/** No conversation: the bytes are passed on, whatever the protocol of the provider's models. */
	isOther?: true;
}

const inBody = (body: Json): string => string(body.model);
const routes: Readonly<Record<string, ModelRoute>> = {
	"/messages": { protocol: servedProtocols.messages, model: inBody, fields: {}, path: () => "/v1/messages" },
	"/messages/count_tokens": {
		protocol: servedProtocols.messages,
		model: inBody,
		fields: {},
		path: () => "/v1/messages/count_tokens",
		isCount: true,
	},
	"/chat/completions": {
		protocol: servedProtocols.completions,
		model: inBody,
		fields: {},
		path: () => "/chat/completions",
	},
	"/responses": { protocol: servedProtocols.responses, model: inBody, fields: {}, path: () => "/responses" },
	"/stream": { protocol: servedProtocols.tau, model: namedModel, fields: {}, path: () => "/v1/stream" },
	// omp's own.
	"/pi/stream": { protocol: servedProtocols.pi, model: namedModel, fields: {}, path: () => "/v1/pi/stream" },
};

/** `models/NAME:method`, as Google's clients write it. */
const google = /^(?:\/v1beta1?|\/v1)?\/models\/(.+):(generateContent|streamGenerateContent|countTokens)$/;

/** Undefined for an address that is none of a model. */
export function modelRoute({ pathname, search }: URL): ModelRoute | undefined {
	// Clients are configured with and without the version in their base URL.
	const path = pathname.replace(/^\/v1(?=\/)/, "");
	if (Object.hasOwn(routes, path)) return routes[path];
	const [, name, method] = google.exec(pathname) ?? [];
	if (name === undefined || method === undefined) return undefined;
	const model = decodeURIComponent(name);
	return {
		protocol: servedProtocols.google,
		model: () => model,
		fields: { model, stream: method === "streamGenerateContent" },
		path: (id) => `/models/${encodeURIComponent(id)}:${method}${search}`,
		...(method === "countTokens" ? { isCount: true } : {}),
	};
}

/** Embeddings and images: no model of a conversation answers those. */
const otherPaths: ReadonlySet<string> = new Set(["/embeddings", "/images/generations"]);

/** Undefined for any other address. */
export function otherRoute({ pathname }: URL): ModelRoute | undefined {
	const path = pathname.replace(/^\/v1(?=\/)/, "");
	if (!otherPaths.has(path)) return undefined;
	const protocol = servedProtocols.completions;
	return { protocol, model: (body) => string(body.model), fields: {}, path: () => path, isOther: true };
}
