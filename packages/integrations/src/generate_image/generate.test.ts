/** Each service gets the request that it documents, and its answer becomes a file and an image for the model. */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";

import { callTool, testToolEnv, textOf, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import { keysOfServices, type ServiceKeys } from "@tau/tools/tool";
import models from "./models.json";
import { generateImage } from "./tool.ts";

/** One red pixel. */
const png =
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const dataUrl = `data:image/png;base64,${png}`;

interface Recorded {
	path: string;
	authorization: string | null;
	body: unknown;
}

interface Played extends AsyncDisposable {
	env: TestToolEnv;
	requests: Recorded[];
}

async function played(provider: string, answer: unknown, status = 200): Promise<Played> {
	const requests: Recorded[] = [];
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request) {
			const { headers } = request;
			requests.push({
				path: new URL(request.url).pathname,
				authorization: headers.get("authorization") ?? headers.get("x-goog-api-key"),
				body: await request.json(),
			});
			return Response.json(answer, { status });
		},
	});
	const baseUrl = `http://127.0.0.1:${server.port}/v1`;
	const keys: ServiceKeys = {
		has: (id) => id === provider,
		resolve: async (id) => (id === provider ? { key: `key-of-${id}`, baseUrl, headers: {} } : undefined),
		address: () => baseUrl,
		variable: () => undefined,
	};
	const env = await testToolEnv({ keys });
	writeFileSync(env.resolve("dot.png"), Buffer.from(png, "base64"));
	return {
		env,
		requests,
		async [Symbol.asyncDispose]() {
			await server.stop(true);
			await env[Symbol.asyncDispose]();
		},
	};
}

const subject = "a red dot";
const wide = { subject, aspect_ratio: "16:9", image_size: "2K" };

const contracts: {
	provider: keyof typeof models;
	answer: unknown;
	/** What counts in the session; absent where the service reports nothing. */
	paid?: object;
	authorization: string;
	plain: { path: string; body: object };
	edited: { path: string; body: object };
}[] = [
	{
		provider: "openai",
		answer: { created: 1, data: [{ b64_json: png }], usage: { input_tokens: 3, output_tokens: 5 } },
		paid: { input: 3, output: 5 },
		authorization: "Bearer key-of-openai",
		plain: {
			path: "/v1/images/generations",
			body: {
				model: models.openai,
				prompt: subject,
				size: "1536x1024",
				quality: "high",
				output_format: "png",
				n: 1,
			},
		},
		edited: {
			path: "/v1/images/edits",
			body: {
				model: models.openai,
				prompt: subject,
				size: "auto",
				output_format: "png",
				n: 1,
				images: [{ image_url: dataUrl }],
			},
		},
	},
	{
		provider: "google",
		answer: {
			candidates: [
				{
					content: { parts: [{ text: "Here it is." }, { inlineData: { mimeType: "image/png", data: png } }] },
					finishReason: "STOP",
				},
			],
			usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4, thoughtsTokenCount: 1 },
		},
		paid: { input: 3, output: 5 },
		authorization: "key-of-google",
		plain: {
			path: `/v1/models/${models.google}:generateContent`,
			body: {
				contents: [{ role: "user", parts: [{ text: subject }] }],
				generationConfig: {
					responseModalities: ["TEXT", "IMAGE"],
					imageConfig: { aspectRatio: "16:9", imageSize: "2K" },
				},
			},
		},
		edited: {
			path: `/v1/models/${models.google}:generateContent`,
			body: {
				contents: [
					{
						role: "user",
						parts: [{ inlineData: { mimeType: "image/png", data: png } }, { text: subject }],
					},
				],
				generationConfig: { responseModalities: ["TEXT", "IMAGE"] },
			},
		},
	},
	{
		provider: "xai",
		answer: { data: [{ b64_json: png, revised_prompt: "a dot" }] },
		authorization: "Bearer key-of-xai",
		plain: {
			path: "/v1/images/generations",
			body: {
				model: models.xai,
				prompt: subject,
				aspect_ratio: "16:9",
				resolution: "2k",
				response_format: "b64_json",
				n: 1,
			},
		},
		edited: {
			path: "/v1/images/edits",
			body: {
				model: models.xai,
				prompt: subject,
				response_format: "b64_json",
				n: 1,
				image: { type: "image_url", url: dataUrl },
			},
		},
	},
	{
		provider: "openrouter",
		answer: {
			choices: [
				{
					message: {
						role: "assistant",
						content: "Here it is.",
						images: [{ type: "image_url", image_url: { url: dataUrl } }],
					},
				},
			],
			usage: { prompt_tokens: 3, completion_tokens: 5, cost: 0.04 },
		},
		paid: { input: 3, output: 5, cost: expect.objectContaining({ total: 0.04 }) },
		authorization: "Bearer key-of-openrouter",
		plain: {
			path: "/v1/chat/completions",
			body: {
				model: models.openrouter,
				messages: [{ role: "user", content: [{ type: "text", text: subject }] }],
				modalities: ["image", "text"],
				image_config: { aspect_ratio: "16:9", image_size: "2K" },
				stream: false,
				usage: { include: true },
			},
		},
		edited: {
			path: "/v1/chat/completions",
			body: {
				model: models.openrouter,
				messages: [
					{
						role: "user",
						content: [
							{ type: "text", text: subject },
							{ type: "image_url", image_url: { url: dataUrl } },
						],
					},
				],
				modalities: ["image", "text"],
				stream: false,
				usage: { include: true },
			},
		},
	},
];

for (const { provider, answer, paid, authorization, plain, edited } of contracts)
	test(`${provider}: an image is generated and edited, saved, and shown`, async () => {
		await using service = await played(provider, answer);
		const { env, requests } = service;
		const tool = generateImage.bind(env);
		const result = await callTool(tool, wide);
		await callTool(tool, { subject, input: ["dot.png"] });
		expect(requests).toEqual([
			{ ...plain, authorization },
			{ ...edited, authorization },
		]);
		const [, path = ""] =
			/^Saved (\S+\.generate_image\.png) \(artifact:\/\/0, image\/png, 1x1\)\./.exec(textOf(result)) ?? [];
		expect(readFileSync(path).toString("base64")).toBe(png);
		expect(result.content[1]).toMatchObject({ type: "image", mimeType: "image/png" });
		expect(textOf(result)).toContain(models[provider]);
		expect(result.usage).toEqual(paid === undefined ? undefined : expect.objectContaining(paid));
		const touched = generateImage.touches({ subject, input: ["dot.png"] }, env);
		expect(touched).toEqual([
			{ kind: "read", path: env.resolve("dot.png") },
			{ kind: "fetch", url: env.services.provided(keysOfServices)?.address("") ?? "" },
		]);
	});

test("refusals, errors and odd answers are told apart", async () => {
	const cases: [answer: unknown, status: number, text: string][] = [
		[{ candidates: [{ finishReason: "IMAGE_SAFETY" }] }, 200, "Gemini made no image: IMAGE_SAFETY"],
		[{ error: { message: "quota exceeded" } }, 429, "Gemini API error (429): quota exceeded"],
		["nonsense", 200, "Gemini made no image."],
		[
			{ candidates: [{ content: { parts: [{ inlineData: { data: "aGVsbG8=" } }] } }] },
			200,
			"The service sent something that is not an image.",
		],
	];
	for (const [answer, status, text] of cases) {
		await using service = await played("google", answer, status);
		expect(textOf(await callTool(generateImage.bind(service.env), { subject }))).toBe(text);
	}
	await using service = await played("google", {});
	const tool = generateImage.bind(service.env);
	expect(textOf(await callTool(tool, { subject, input: ["none.png"] }))).toBe(
		"Cannot read none.png: ENOENT.",
	);
	writeFileSync(service.env.resolve("text.png"), "words");
	expect(textOf(await callTool(tool, { subject, input: ["text.png"] }))).toBe("text.png is not an image.");
	expect(service.requests).toEqual([]);
	await using bare = await testToolEnv();
	expect(textOf(await callTool(generateImage.bind(bare), { subject }))).toContain("tau login");
});

test("the user chooses the provider and the model", async () => {
	await using service = await played("xai", { data: [{ b64_json: png }] });
	const { env, requests } = service;
	await env.settings.set("providers.imageModel", "my-model", "session");
	await callTool(generateImage.bind(env), { subject });
	expect(requests[0]?.body).toMatchObject({ model: "my-model" });
	await env.settings.set("providers.image", "openai", "session");
	expect(textOf(await callTool(generateImage.bind(env), { subject }))).toContain("no key for OpenAI");
});
