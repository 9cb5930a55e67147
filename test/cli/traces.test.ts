import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch } from "../support/launch.ts";

interface Span {
	traceId: string;
	spanId: string;
	parentSpanId?: string;
	name: string;
	startTimeUnixNano: string;
	endTimeUnixNano: string;
	attributes: { key: string; value: Record<string, string> }[];
	status: { code: number };
}

test("a collector gets a span for the run, each request and each tool call, and no contents", async () => {
	const bodies: { text: string; token: string | null }[] = [];
	await using collector = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request) {
			bodies.push({ text: await request.text(), token: request.headers.get("x-token") });
			return new Response("{}");
		},
	});
	await using tau = await launch({
		steps: [
			{ answer: { blocks: [{ toolCall: { name: "bash", arguments: { command: "echo hidden-output" } } }] } },
			{ answer: { blocks: [{ toolCall: { name: "read", arguments: { path: "missing-file" } } }] } },
			"hidden answer",
		],
	});
	writeFileSync(
		join(tau.agentDir, "config.yml"),
		`traces:\n  endpoint: http://127.0.0.1:${collector.port}\n`,
	);
	const { code } = await tau.run(["-p", "--model", "played/played-1", "hidden prompt"], {
		env: { OTEL_EXPORTER_OTLP_HEADERS: "X-Token=abc%20def,X-Other=1" },
	});
	expect(code).toBe(0);
	expect(bodies).toHaveLength(1);
	const [{ text = "", token } = {}] = bodies;
	expect(token).toBe("abc def");
	expect(text).not.toContain("hidden");
	const spans = JSON.parse(text).resourceSpans[0].scopeSpans[0].spans as Span[];
	expect(spans.map(({ name, status }) => [name, status.code])).toEqual([
		["chat played-1", 1],
		["execute_tool bash", 1],
		["chat played-1", 1],
		["execute_tool read", 2],
		["chat played-1", 1],
		["invoke_agent tau", 1],
	]);
	const root = spans.at(-1);
	for (const span of spans.slice(0, -1)) expect(span.parentSpanId).toBe(root?.spanId ?? "");
	expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
	for (const { startTimeUnixNano, endTimeUnixNano } of spans)
		expect(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano)).toBe(true);
	expect(text).toContain("gen_ai.usage.output_tokens");
});

test("a collector that is not there changes nothing but the log", async () => {
	await using tau = await launch({ steps: ["Hello."] });
	writeFileSync(join(tau.agentDir, "config.yml"), "traces:\n  endpoint: http://127.0.0.1:9\n");
	expect(await tau.run(["-p", "--model", "played/played-1", "hi"])).toMatchObject({
		code: 0,
		out: "Hello.\n",
		err: "",
	});
});
