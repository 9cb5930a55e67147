/** Model lists of all servers are understood, and nothing is made up. */
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { readList, readOllamaModel, type ModelFacts } from "./facts.ts";

describe("a model as it is listed by", () => {
	const listed: [server: string, entry: unknown, facts: ModelFacts][] = [
		["OpenAI", { id: "a", object: "model", created: 1, owned_by: "o" }, { id: "a" }],
		["vLLM", { id: "a", max_model_len: 32768 }, { id: "a", contextWindow: 32768 }],
		["llama.cpp", { id: "a", meta: { n_ctx_train: 8192, n_params: 7 } }, { id: "a", contextWindow: 8192 }],
		[
			"OpenRouter",
			{
				id: "v/a",
				name: "Vendor: A",
				context_length: 200000,
				architecture: { input_modalities: ["text", "image"] },
				top_provider: { max_completion_tokens: 64000 },
				supported_parameters: ["tools", "reasoning"],
				pricing: { prompt: "0.000003", completion: "0.000015", input_cache_read: "0.0000003" },
			},
			{
				id: "v/a",
				name: "Vendor: A",
				contextWindow: 200000,
				maxTokens: 64000,
				images: true,
				reasoning: true,
				cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 0 },
			},
		],
		[
			"LM Studio",
			{ id: "a", type: "vlm", max_context_length: 4096 },
			{ id: "a", contextWindow: 4096, images: true },
		],
		[
			"Venice",
			{
				id: "a",
				type: "text",
				model_spec: {
					name: "A",
					availableContextTokens: 65536,
					maxCompletionTokens: 100,
					capabilities: { supportsVision: false, supportsReasoning: true },
				},
			},
			{ id: "a", name: "A", contextWindow: 65536, maxTokens: 100, images: false, reasoning: true },
		],
		["Anthropic", { id: "a", type: "model", display_name: "A 1" }, { id: "a", name: "A 1" }],
		["Ollama", { name: "qwen:7b", model: "qwen:7b", size: 1 }, { id: "qwen:7b" }],
	];
	test.each(listed)("%s", (_, entry, facts) => {
		expect(readList({ data: [entry] })).toEqual([facts]);
		expect(readList({ models: [entry] })).toEqual([facts]);
		expect(readList([entry])).toEqual([facts]);
	});
});

test.each(["embeddings", "embedding", "rerank", "image", "tts", "moderation"])(
	"a model without chat is left out: %s",
	(type) => {
		expect(readList({ data: [{ id: "a", type }, { id: "b" }] })).toEqual([{ id: "b" }]);
	},
);

test.each([[{}], [{ data: 7 }], [{ models: "many" }], ["text"], [null], [7], [{ data: { id: "a" } }]])(
	"%p is not a list of models",
	(body) => {
		expect(readList(body)).toBeUndefined();
	},
);

test("impossible sizes and prices are ignored", () => {
	const entry = {
		id: "a",
		context_length: -5,
		max_model_len: "big",
		max_output_tokens: 1.5,
		pricing: { prompt: "free", completion: "-1" },
	};
	expect(readList([entry])).toEqual([{ id: "a" }]);
});

describe("Ollama's details of one model", () => {
	test("have its size and capabilities", () => {
		const body = {
			model_info: { "general.architecture": "qwen3", "qwen3.context_length": 40960 },
			capabilities: ["completion", "tools", "thinking"],
		};
		expect(readOllamaModel(body)).toEqual({
			contextWindow: 40960,
			reasoning: true,
			images: false,
			canChat: true,
		});
	});

	test("say that it cannot chat", () => {
		expect(readOllamaModel({ capabilities: ["embedding"] })).toMatchObject({ canChat: false });
	});

	test("may be missing in older versions", () => {
		expect(readOllamaModel({ license: "…" })).toEqual({});
		expect(readOllamaModel(undefined)).toEqual({});
	});
});

test("property: any response is a list of valid models, or none", () => {
	fc.assert(
		fc.property(
			fc.oneof(
				fc.jsonValue(),
				fc.array(fc.jsonValue()).map((data) => ({ data })),
			),
			(body) => {
				for (const facts of readList(body) ?? []) {
					expect(facts.id.trim()).not.toBe("");
					if (facts.contextWindow !== undefined) expect(facts.contextWindow).toBeGreaterThan(0);
				}
			},
		),
	);
});
