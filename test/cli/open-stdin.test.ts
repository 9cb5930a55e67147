/** A standard input that was left open: Tau says what it waits for, and does not wait forever. */
import { describe, expect, test } from "bun:test";

import { launch, type Launched, type Running } from "../support/launch.ts";

const model = ["--model", "played/played-1"];

interface Piped extends Running {
	send(text: string): void;
}

function withOpenInput(tau: Launched, words: string[], waitMs?: string): Piped {
	const env: Record<string, string> = waitMs === undefined ? {} : { TAU_STDIN_WAIT_MS: waitMs };
	const running = tau.start(["-p", ...words, ...model], { stdin: "pipe", env });
	const { stdin } = running.process;
	if (!stdin || typeof stdin === "number") throw new Error("standard input is not a pipe");
	return {
		...running,
		send(text) {
			stdin.write(text);
			void stdin.end();
		},
	};
}

describe("beside a prompt", () => {
	test("a silent one is reported after a second, and ignored after the limit", async () => {
		await using tau = await launch({ steps: ["Fine."] });
		const running = withOpenInput(tau, ["hi"], "1500");
		await running.until(({ err }) => err.includes("\n"));
		expect(running.output().err).toStartWith(
			"tau: Waiting up to 2 s for standard input. To skip it, add </dev/null. To wait without a limit, set TAU_STDIN_WAIT_MS=0.\n",
		);
		const { code, out, err } = await running.finished;
		expect({ code, out }).toEqual({ code: 0, out: "Fine.\n" });
		expect(err).toEndWith("tau: No data on standard input. Continuing without it.\n");
		expect(tau.played.requests[0]?.rawBody).not.toContain("stdin");
	});

	test("one that arrives late is used completely", async () => {
		await using tau = await launch({ steps: ["Fine."] });
		const running = withOpenInput(tau, ["why?"]);
		await running.until(({ err }) => err.includes("Waiting up to"));
		running.send("late but whole");
		expect(await running.finished).toMatchObject({ code: 0, out: "Fine.\n" });
		expect(tau.played.requests[0]?.rawBody).toMatch(/late but whole.*why\?/);
	});

	test("it is waited for without a limit on request", async () => {
		await using tau = await launch({ steps: ["Fine."] });
		const running = withOpenInput(tau, ["why?"], "0");
		await running.until(({ err }) => err.includes("Waiting for standard input to end."));
		running.send("at last");
		expect(await running.finished).toMatchObject({ code: 0, out: "Fine.\n" });
		expect(tau.played.requests[0]?.rawBody).toContain("at last");
	});
});

test("without a prompt it is the prompt, and is waited for whatever the limit", async () => {
	await using tau = await launch({ steps: ["Fine."] });
	const running = withOpenInput(tau, [], "1");
	await running.until(({ err }) => err === "tau: Waiting for standard input to end.\n");
	running.send("do this");
	expect(await running.finished).toMatchObject({ code: 0, out: "Fine.\n" });
	expect(tau.played.requests[0]?.rawBody).toContain("do this");
});
