/** Google's protocol in its three APIs: the Gemini API, Vertex AI and Code Assist. */
import { clientHeaders } from "../../auth/code-assist/client.ts";
import type { Codec } from "../codec.ts";
import { encodeCodeAssist, unwrap } from "./code-assist.ts";
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
	decoder: (builder) => new GoogleDecoder(builder),
};

/** Project and location depend on the account: authentication puts them into the address. */
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
	decoder: (builder) => new GoogleDecoder(builder),
};

/** For users who sign in as with the Gemini CLI: the same body, in an envelope that names model and project. */
export const googleGeminiCli: Codec = {
	api: "google-gemini-cli",
	framing: "sse",
	auth: "code-assist",
	path: () => `/v1internal:${method}`,
	headers: (model) => ({ accept: "text/event-stream", ...clientHeaders(process.env, model.id) }),
	encode: encodeCodeAssist,
	decoder: (builder) => new GoogleDecoder(builder, unwrap),
};
