/** Google's protocol, at the two places where it is spoken: the Gemini API and Vertex AI. */
import type { Codec } from "../codec.ts";
import { GoogleDecoder } from "./decode.ts";
import { encode, encodeVertex } from "./encode.ts";

const method = "streamGenerateContent?alt=sse";

export const googleGenerativeAi: Codec = {
	api: "google-generative-ai",
	framing: "sse",
	auth: "x-goog-api-key",
	path: (model) => `/models/${encodeURIComponent(model.id)}:${method}`,
	headers: () => ({}),
	encode,
	decoder: (draft) => new GoogleDecoder(draft),
};

/** Project and location belong to who asks: authentication puts them into the address. */
export const googleVertex: Codec = {
	api: "google-vertex",
	framing: "sse",
	auth: "google-cloud",
	path: (model, { apiKey }) => {
		const owner = apiKey ? "" : "projects/{project}/locations/{location}/";
		return `/v1/${owner}publishers/google/models/${encodeURIComponent(model.id)}:${method}`;
	},
	headers: () => ({}),
	encode: encodeVertex,
	decoder: (draft) => new GoogleDecoder(draft),
};
