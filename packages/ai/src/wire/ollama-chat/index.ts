/** Ollama's own chat protocol, which supports more than its OpenAI-compatible API. */
import type { Codec } from "../codec.ts";
import { OllamaDecoder } from "./decode.ts";
import { encode } from "./encode.ts";

export const ollamaChat: Codec = {
	api: "ollama-chat",
	framing: "ndjson",
	auth: "bearer",
	// Users enter the address of the OpenAI-compatible API, or of the protocol itself.
	baseUrl: (model) => model.baseUrl.replace(/\/+$/, "").replace(/\/(?:v1|api)$/, ""),
	path: () => "/api/chat",
	headers: () => ({}),
	encode,
	decoder: (builder) => new OllamaDecoder(builder),
};
