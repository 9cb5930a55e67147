/** Ollama's own chat protocol, which tells and takes more than its imitation of OpenAI's. */
import type { Codec } from "../codec.ts";
import { OllamaDecoder } from "./decode.ts";
import { encode } from "./encode.ts";

export const ollamaChat: Codec = {
	api: "ollama-chat",
	framing: "ndjson",
	auth: "bearer",
	// People write the address of the imitation, or of the protocol itself.
	baseUrl: (model) => model.baseUrl.replace(/\/+$/, "").replace(/\/(?:v1|api)$/, ""),
	path: () => "/api/chat",
	headers: () => ({}),
	encode,
	decoder: (draft) => new OllamaDecoder(draft),
};
