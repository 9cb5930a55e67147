/** Unknown names on the command line are rejected before anything is sent. */
import { afterAll, beforeAll, expect, test } from "bun:test";

import { launch, type Launched } from "../support/launch.ts";

let tau: Launched;

beforeAll(async () => {
	tau = await launch({ steps: [], fallback: "sent" });
});

afterAll(async () => {
	await tau[Symbol.asyncDispose]();
});

const model = ["--model", "played/played-1"];

test.each([
	[["--skill", "/nosuch", ...model, "-p", "hi"], "--skill: /nosuch does not exist."],
	[["--prompt-template", "/nosuch", ...model, "-p", "hi"], "--prompt-template: /nosuch does not exist."],
	[["-e", "./nosuch.ts", ...model, "-p", "hi"], "--extension: ./nosuch.ts does not exist."],
	[["--slow", "nosuch-model", ...model, "-p", "hi"], "--slow:"],
	[["--models", "played/*,nosuch-model", ...model, "-p", "hi"], "nosuch-model"],
	[["config", "set", "theme", "nosuch"], "nosuch"],
])("%j", async (args, message) => {
	const { code, err } = await tau.run(args);
	expect(err).toContain(message);
	expect(code).toBe(2);
	expect(tau.played.requests).toEqual([]);
});

test("a theme that exists is stored", async () => {
	expect((await tau.run(["config", "set", "theme", "dusk"])).code).toBe(0);
});
