/** Servers that need it get the initiator and the content type of a request, in every protocol. */
import { describe, expect, test } from "bun:test";

import { apis, receive, hello, playedModel } from "../testing/asking.ts";
import { builtinModels } from "../providers/index.ts";
import { stream } from "../stream.ts";
import { playModel } from "../testing/index.ts";
import type { Message } from "../types.ts";
import { answer, call, image, result, text, user } from "./testing/messages.ts";

const compat = { sendInitiatorHeaders: true };
const step = [user("look"), answer(call("t1", "read", {})), result("t1")];

describe.each([...apis, "openai-responses"] as const)("%s", (api) => {
	test.each<[string, Message[], string, string | undefined]>([
		["a user message", [user("hello")], "user", undefined],
		["tool results", step, "agent", undefined],
		["a user message after that", [...step, user("and?")], "user", undefined],
		["a picture", [user(text("what is it?"), image)], "user", "true"],
		["a picture from before", [user(image), answer(text("a dog")), user("sure?")], "user", "true"],
		["a picture of a tool", [...step.slice(0, 2), { ...result("t1"), content: [image] }], "agent", "true"],
	])("%s", async (_, messages, initiator, vision) => {
		await using played = await playModel({ steps: ["hi"] });
		await receive(stream(playedModel(played, api, { compat }), { messages }));
		const { headers } = await played.waitForRequest(1);
		expect([headers["x-initiator"], headers["copilot-vision-request"]]).toEqual([initiator, vision]);
	});

	test("is not sent to the others", async () => {
		await using played = await playModel({ steps: ["hi"] });
		await receive(stream(playedModel(played, api), hello));
		expect((await played.waitForRequest(1)).headers).not.toHaveProperty("x-initiator");
	});
});

test("an image that the model does not see is neither sent nor reported", async () => {
	await using played = await playModel({ steps: ["hi"] });
	const blind = playedModel(played, "openai-completions", { compat, input: ["text"] });
	await receive(stream(blind, { messages: [user(image)] }));
	expect((await played.waitForRequest(1)).headers).not.toHaveProperty("copilot-vision-request");
});

test("every Copilot model has the headers that its servers expect", () => {
	for (const model of builtinModels("github-copilot")) {
		expect(model.compat).toMatchObject(compat);
		expect(Object.keys(model.headers ?? {})).toEqual(
			expect.arrayContaining(["Editor-Version", "Editor-Plugin-Version", "Copilot-Integration-Id"]),
		);
	}
});
