/** A provider's error reaches the client as that vendor's own error would: status, kind and how long to wait. */
import { playModel, type PlayedModel, type Scenario } from "@tau/ai/testing";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";

import { dialects, type Question } from "./dialects/index.ts";
import { providers, serveGateway, type Provider, type ServedGateway } from "./gateway.ts";

const question: Question = { turns: [{ user: "hi" }] };

let served: ServedGateway;
let direct: PlayedModel;
beforeAll(async () => {
	[served, direct] = await Promise.all([serveGateway({ steps: [] }), playModel({ steps: [] })]);
});
afterAll(async () => {
	await Promise.all([served[Symbol.asyncDispose](), direct.close()]);
});

const before: Readonly<Record<string, Scenario["fallback"]>> = {
	"a bad request": { fault: { http: 400 } },
	"a refused key": { fault: { http: 401 } },
	"a forbidden model": { fault: { http: 403 } },
	"a limit, with a time": { fault: { http: 429, retryAfter: 7 } },
	"a failing server": { fault: { http: 500 } },
	"too long a prompt": { fault: { overflow: true } },
};

const middle: Readonly<Record<string, Scenario["fallback"]>> = {
	"an error event": {
		answer: { blocks: [{ text: "Hello world, this is long", chunks: 6 }] },
		fault: { errorEvent: { type: "overloaded_error", message: "Overloaded" }, afterChunks: 3 },
	},
	"a torn connection": {
		answer: { blocks: [{ text: "Hello world, this is long ".repeat(20), chunks: 20 }] },
		fault: { tornAtByte: 1500 },
	},
	"an end before the end": { answer: { blocks: [{ text: "Hello" }] }, fault: { truncated: true } },
};

describe.each(dialects.map((dialect) => [dialect.name, dialect] as const))(
	"a client of %s",
	(_name, dialect) => {
		describe.each(providers.map((each) => [each]))("with a model of %s", (protocol: Provider) => {
			const clientError = async (url: string, model: string, streamed = true) => {
				const [outcome] = await Promise.allSettled([dialect.ask(url, model, question, streamed)]);
				return outcome.status === "rejected" ? dialect.clientError(outcome.reason) : outcome.value;
			};

			test.each(Object.keys(before))("learns of %s", async (name) => {
				const fallback = before[name];
				if (!fallback) throw new Error(name);
				const scenario: Scenario = { steps: [], fallback };
				served.played.setScenario(scenario);
				direct.setScenario(scenario);
				const expected = await clientError(direct.url, "direct");
				const got = await clientError(served.url, `played-${protocol}`);
				if (!("status" in expected) || !("status" in got)) throw new Error("no refusal");
				expect(got.status).toBe(expected.status);
				// One vendor has no header for it, and its played model sends it in the body of one error only.
				if (expected.retryAfter !== null && dialect.name !== "google")
					expect(got.retryAfter).toBe(expected.retryAfter);
				if (name === "too long a prompt") expect(got.message).toMatch(/too long|context|token/i);
				expect(got.message).not.toContain("secret");
			});

			test.each(Object.keys(middle))("learns of %s in the middle", async (name) => {
				const fallback = middle[name];
				if (!fallback) throw new Error(name);
				served.played.setScenario({ steps: [], fallback });
				const [outcome] = await Promise.allSettled([
					dialect.ask(served.url, `played-${protocol}`, question, true),
				]);
				// Two vendors' clients take the end of a stream for the end of an answer; the direct call is the judge.
				direct.setScenario({ steps: [], fallback });
				const [expected] = await Promise.allSettled([dialect.ask(direct.url, "direct", question, true)]);
				if (expected.status === "rejected") expect(outcome.status).toBe("rejected");
			});
		});
	},
);

describe("an answer that is not streamed", () => {
	test.each(dialects.map((dialect) => [dialect.name, dialect] as const))(
		"fails as a whole for %s",
		async (_name, dialect) => {
			served.played.setScenario({
				steps: [],
				fallback: {
					answer: { blocks: [{ text: "Hello world, this is long", chunks: 6 }] },
					fault: { errorEvent: { type: "overloaded_error", message: "Overloaded" }, afterChunks: 3 },
				},
			});
			const other = dialect.name === "messages" ? "completions" : "messages";
			const [outcome] = await Promise.allSettled([
				dialect.ask(served.url, `played-${other}`, question, false),
			]);
			if (outcome.status === "fulfilled") throw new Error("it was answered");
			expect(dialect.clientError(outcome.reason).status).toBeGreaterThanOrEqual(500);
		},
	);
});
