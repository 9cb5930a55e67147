/** How long a conversation is cached, and on which machine. */
import { describe, expect, test } from "bun:test";

import { receive, hello, modelAt, playedModel, setEnv } from "../testing/asking.ts";
import { stream } from "../stream.ts";
import { playModel } from "../testing/index.ts";
import type { CacheRetention, Compat, StreamOptions } from "../types.ts";
import { cacheRetention, retentionFrom, sessionHeaders } from "./cache.ts";

test.each([
	[{}, "short"],
	[{ TAU_CACHE_RETENTION: "long" }, "long"],
	[{ PI_CACHE_RETENTION: " Long " }, "long"],
	[{ TAU_CACHE_RETENTION: "none", PI_CACHE_RETENTION: "long" }, "none"],
	[{ TAU_CACHE_RETENTION: "forever" }, "short"],
] as const)("the environment %j means %s", (env, expected) => {
	expect(retentionFrom(env)).toBe(expected);
});

test.each<[Compat, StreamOptions, CacheRetention]>([
	[{}, {}, "short"],
	[{}, { cacheRetention: "long" }, "long"],
	[{ supportsLongCacheRetention: false }, { cacheRetention: "long" }, "short"],
	[{ supportsLongCacheRetention: false }, { cacheRetention: "none" }, "none"],
])("%j with %j is %s", (compat, options, expected) => {
	expect(cacheRetention(modelAt("", "any", { compat }), options)).toBe(expected);
});

test("the user's setting applies to every request that does not override it", async () => {
	using _ = setEnv({ TAU_CACHE_RETENTION: "long" });
	await using played = await playModel({ steps: ["a", "b"] });
	const model = playedModel(played, "anthropic-messages");
	await receive(stream(model, hello));
	await receive(stream(model, hello, { cacheRetention: "none" }));
	expect((await played.waitForRequest(1)).rawBody).toContain('"ttl":"1h"');
	expect((await played.waitForRequest(2)).rawBody).not.toContain("cache_control");
});

describe("the session id", () => {
	const sessionId = "s-1";
	const names = { "x-session-affinity": sessionId, "x-session-id": sessionId };

	test.each<[Compat, StreamOptions, object]>([
		[{ sendSessionAffinityHeaders: true }, { sessionId }, { ...names, session_id: sessionId }],
		[{ sendSessionAffinityHeaders: true, sendSessionIdHeader: false }, { sessionId }, names],
		[{ sendSessionAffinityHeaders: true }, { sessionId, cacheRetention: "none" }, {}],
		[{ sendSessionAffinityHeaders: true }, {}, {}],
		[{}, { sessionId }, {}],
	])("for %j with %j is sent as %j", (compat, options, expected) => {
		expect(sessionHeaders(modelAt("", "any", { compat }), options)).toEqual({ ...expected });
	});

	test.each(["anthropic-messages", "openai-completions"])("reaches the server of %s", async (api) => {
		await using played = await playModel({ steps: ["hi"] });
		const model = playedModel(played, api, { compat: { sendSessionAffinityHeaders: true } });
		await receive(stream(model, hello, { sessionId }));
		expect((await played.waitForRequest(1)).headers).toMatchObject(names);
	});
});
