/** The same question, asked and heard by the vendors' own clients. They ask whatever `fetch` is at the moment. */
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";

const baseURL = "http://played.invalid";
const options = { baseURL, apiKey: "key", maxRetries: 0 };
const messages = [{ role: "user" as const, content: "hello" }];

/** Each reads the stream as our own reader does, event by event, and gives the text of the whole message. */
export const vendorClients: Readonly<Record<string, () => Promise<string>>> = {
	async "anthropic-messages"() {
		const answers = new Anthropic(options).messages.stream({ model: "m", max_tokens: 1, messages });
		for await (const _event of answers);
		return answers.finalText();
	},

	async "openai-completions"() {
		const answers = new OpenAI(options).chat.completions.stream({ model: "m", messages });
		for await (const _event of answers);
		return (await answers.finalContent()) ?? "";
	},

	async "openai-responses"() {
		const answers = new OpenAI(options).responses.stream({ model: "m", input: "hello" });
		for await (const _event of answers);
		return (await answers.finalResponse()).output_text;
	},

	async "google-generative-ai"() {
		const client = new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl: baseURL } });
		let text = "";
		// The client adds nothing up; its users do.
		for await (const part of await client.models.generateContentStream({ model: "m", contents: "hello" })) {
			text += part.text ?? "";
		}
		return text;
	},
};
