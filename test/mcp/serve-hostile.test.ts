/** Clients that send too much, too often or the wrong thing do not get more from `tau mcp serve` than others. */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { isInputRequiredResult } from "@modelcontextprotocol/client";

import { launch } from "../support/launch.ts";
import { noBoundary, serve } from "./served.ts";

const command = "node -e 'console.log(6 * 7)'";

test("an answer continues exactly the call that asked, once, and only with the server's own state", async () => {
	await using tau = await launch({ steps: [] });
	await using served = await serve(tau, "modern", { env: noBoundary, onForm: () => undefined });
	const { client } = served;
	const call = async (name: string, more: object = {}) =>
		await client.callTool(
			{ name, arguments: { command }, ...more } as never,
			{ allowInputRequired: true } as never,
		);
	const asked: unknown = await call("bash");
	if (!isInputRequiredResult(asked)) throw new Error("It was not asked about.");
	const { requestState = "" } = asked;
	const inputResponses = { answer: { action: "accept", content: { answer: "Yes, once" } } };
	const tampered = `${requestState.slice(0, -2)}xx`;
	await expect(call("bash", { inputResponses, requestState: tampered })).rejects.toThrow("requestState");
	const other = await call("read", { inputResponses, requestState });
	expect(JSON.stringify(other)).toContain("has ended");
	// A retry without an answer is asked again; one with a wrong answer declines.
	expect(isInputRequiredResult(await call("bash", { requestState }))).toBe(true);
	const first = await call("bash", { inputResponses, requestState });
	expect(JSON.stringify(first)).toContain("42");
	const again = await call("bash", { inputResponses, requestState });
	expect(JSON.stringify(again)).toContain("has ended");
});

test("a client that starts too many calls is told so, and the others go on", async () => {
	await using tau = await launch({ steps: [] });
	writeFileSync(join(tau.project, "go"), "");
	await using served = await serve(tau, "legacy");
	const wait = "while [ -e go ]; do sleep 0.02; done; echo over";
	const calls = Array.from({ length: 70 }, () => served.call("bash", { command: wait }));
	const refused = await Promise.race(calls);
	expect(refused.isError).toBe(true);
	expect(refused.text).toContain("64 calls are running already");
	await served.client.close();
	const outcomes = await Promise.allSettled(calls);
	expect(outcomes.filter(({ status }) => status === "fulfilled").length).toBeLessThanOrEqual(70 - 64);
});

test("a message that is too long ends the connection with a reason", async () => {
	await using tau = await launch({ steps: [] });
	const running = tau.start(["mcp", "serve"], { stdin: "pipe" });
	const input = running.process.stdin;
	if (typeof input !== "object") throw new Error("There is no pipe.");
	const block = "x".repeat(1024 * 1024);
	for (let mb = 0; mb < 17; mb++) {
		try {
			input.write(block);
			await input.flush();
		} catch {
			// The server does not read the rest.
			break;
		}
	}
	const { code, out, err } = await running.finished;
	expect({ code, out }).toEqual({ code: 1, out: "" });
	expect(err).toContain("cannot be read");
});

test("a project's extension is not run because a client connects", async () => {
	await using tau = await launch({ steps: [] });
	const file = join(tau.project, "ran");
	await Bun.write(
		join(tau.project, ".tau/extensions/x.ts"),
		`await Bun.write(${JSON.stringify(file)}, "x"); export default () => {};`,
	);
	await using served = await serve(tau, "modern", { onForm: () => "Trust" });
	expect((await served.call("bash", { command: "echo here" })).text).toContain("here");
	expect(() => readFileSync(file)).toThrow();
	expect(served.errors()).toContain("did not run");
});
