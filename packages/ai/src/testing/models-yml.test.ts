import { expect, test } from "bun:test";
import { YAML } from "bun";
import { modelsYml } from "./models-yml.ts";

const played = { anthropicUrl: "http://127.0.0.1:1", openaiUrl: "http://127.0.0.1:1/v1" };

test("the text is YAML with one provider, at the address of its protocol", () => {
	const model = { id: "played-1", reasoning: true, input: ["text", "image"], contextWindow: 1000 };
	const options = { reasoning: true, input: ["text" as const, "image" as const], contextWindow: 1000 };
	expect(YAML.parse(modelsYml(played, { api: "anthropic-messages", ...options }))).toMatchObject({
		providers: {
			played: { baseUrl: played.anthropicUrl, api: "anthropic-messages", auth: "none", models: [model] },
		},
	});
	expect(YAML.parse(modelsYml(played, { api: "openai-completions", apiKey: 'a: "b"' }))).toMatchObject({
		providers: { played: { baseUrl: played.openaiUrl, api: "openai-completions", apiKey: 'a: "b"' } },
	});
});
