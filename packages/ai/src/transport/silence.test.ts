/** Which variable determines how long a server may be silent. */
import { expect, test } from "bun:test";

import { setEnv } from "../testing/asking.ts";
import { limits } from "../limits.ts";
import { silenceFor } from "./silence.ts";

const ours = { firstEventMs: limits.firstEventTimeoutMs, idleMs: limits.idleTimeoutMs };

test("without variables our own limits apply", () => {
	expect(silenceFor("anthropic-messages")).toEqual(ours);
	expect(silenceFor("openai-responses")).toEqual(ours);
});

test("the variables of the OpenAI protocols override the general ones, and affect no other protocol", () => {
	using _env = setEnv({
		TAU_STREAM_FIRST_EVENT_TIMEOUT_MS: "1",
		TAU_STREAM_IDLE_TIMEOUT_MS: "2",
		TAU_OPENAI_STREAM_FIRST_EVENT_TIMEOUT_MS: "3",
		PI_OPENAI_STREAM_IDLE_TIMEOUT_MS: "4",
	});
	const openai = [
		"openai-completions",
		"openai-responses",
		"openai-codex-responses",
		"azure-openai-responses",
	];
	for (const api of openai) expect(silenceFor(api)).toEqual({ firstEventMs: 3, idleMs: 4 });
	for (const api of ["anthropic-messages", "google-vertex", "constructor"]) {
		expect(silenceFor(api)).toEqual({ firstEventMs: 1, idleMs: 2 });
	}
});

test.each(["0", "-5", "soon", ""])("a limit of %j is ignored", (value) => {
	using _env = setEnv({ TAU_OPENAI_STREAM_IDLE_TIMEOUT_MS: value, TAU_STREAM_FIRST_EVENT_TIMEOUT_MS: value });
	expect(silenceFor("openai-completions")).toEqual(ours);
});
