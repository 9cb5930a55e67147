/** Shared by the tests of request bodies: a context with every kind of content, and the comparison. */
import { expect } from "bun:test";

import type { AssistantContent, Context, Model, StreamOptions } from "../../types.ts";
import type { Codec } from "../codec.ts";
import { answer, call, image, result, text, user } from "./messages.ts";

export const readParameters = {
	type: "object" as const,
	properties: { path: { type: "string" } },
	required: ["path"],
};

export const readTool = { name: "read", description: "Reads a file", parameters: readParameters };

/** `thoughts` come before the model's text and calls. */
export function fullContext(...thoughts: AssistantContent[]): Context {
	return {
		systemPrompt: "Be brief.",
		tools: [readTool],
		messages: [
			user(text("what is this?"), image),
			answer(...thoughts, text("Let me look."), call("t1", "read", { path: "a" }), call("t2", "read")),
			result("t1", text("it is"), image),
			{ ...result("t2", text("no path")), isError: true },
			user("go on"),
		],
	};
}

/** A check of the whole body, which has the vendor's type. */
export function bodyCheck<Body extends object>(encode: Codec["encode"], model: Model) {
	return (body: Body, context: Context, options: StreamOptions = {}, change: Partial<Model> = {}): void => {
		expect(encode({ ...model, ...change }, context, options)).toEqual({ ...body });
	};
}
