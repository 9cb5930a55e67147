/** A conversation that is too long, through the program: it recovers, or stays as it was. */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Scenario, Step } from "@tau/ai/testing";

import { isEvent, startRpc } from "../rpc/rpc-process.ts";
import { launch, type Launched } from "../support/launch.ts";

const model = ["--model", "played/played-1"];
const blind = ["--model", "played/played-blind"];
const long = `Never touch generated.ts. ${"word ".repeat(3000)}`;
const overflow: Step = { fault: { overflow: true } };
const summary: Step = {
	when: { bodyContains: "Reply with the summary" },
	answer: "## Goal\nShort.",
	times: "always",
};

/** `played-1` sees images; `more` is added to its lines in models.yml. */
async function launchWith(config: string, steps: Scenario["steps"], more = ""): Promise<Launched> {
	const tau = await launch({ steps });
	writeFileSync(join(tau.agentDir, "config.yml"), `compaction:\n  keepRecentTokens: 100\n${config}`);
	const file = join(tau.agentDir, "models.yml");
	const [head = "", own = ""] = readFileSync(file, "utf8").split("      - id: ");
	const seeing = own.replace("input: [text]", "input: [text, image]").trimEnd();
	const large = own.replace("played-1", "played-large").replace("200000", "1000000");
	const models = [`${seeing}\n${more}`, large, own.replace("played-1", "played-blind")];
	writeFileSync(file, `${head}${models.map((each) => `      - id: ${each}`).join("")}`);
	return tau;
}

/** Two exchanges: enough to have something before what is kept. */
async function converse(tau: Launched): Promise<void> {
	await tau.run(["-p", long, ...model]);
	await tau.run(["-p", "-c", "And now?", ...model]);
}

function isSummary({ rawBody }: { rawBody: string }): boolean {
	return rawBody.includes("Reply with the summary");
}

function modelsOf({ played }: Launched): string[] {
	return played.requests.map(({ body }) => (body as { model: string }).model);
}

test("a request that is rejected as too long is repeated after a compaction", async () => {
	await using tau = await launchWith("", [summary, "Read.", "Read again.", overflow, "Done."]);
	await converse(tau);
	const { code, out } = await tau.run(["-p", "-c", "Go.", ...model]);
	expect([code, out.trim()]).toEqual([0, "Done."]);
	const [rejected, asked, repeated] = tau.played.requests.slice(2);
	expect([rejected, asked, repeated].map((one) => one && isSummary(one))).toEqual([false, true, false]);
	for (const text of ["Short.", "Never touch generated.ts.", "Go."])
		expect(repeated?.rawBody).toContain(text);
});

test("a larger model that the current one names comes first", async () => {
	const target = "        contextPromotionTarget: played-large\n";
	await using tau = await launchWith("", [summary, "Read.", "Read again.", overflow, "Done."], target);
	await converse(tau);
	const { code, out } = await tau.run(["-p", "-c", "Go.", ...model]);
	expect([code, out.trim()]).toEqual([0, "Done."]);
	expect(modelsOf(tau).slice(2)).toEqual(["played-1", "played-large"]);
	expect(tau.played.requests.some(isSummary)).toBeFalse();
});

test.each([
	["strategy", "  strategy: off\n"],
	["switch", "  enabled: false\n"],
])("with the %s off, nothing is compacted, also if the model rejects the conversation", async (_, config) => {
	await using tau = await launchWith(config, [summary, "Read.", "Read again.", overflow, "Done."]);
	await converse(tau);
	const { code } = await tau.run(["-p", "-c", "Go.", ...model]);
	expect(code).not.toBe(0);
	expect(tau.played.requests).toHaveLength(3);
});

test("without contextPromotion.enabled a larger model is left alone", async () => {
	const target = "        contextPromotionTarget: played-large\n";
	const config = "contextPromotion:\n  enabled: false\n";
	await using tau = await launchWith(config, [summary, "Read.", "Read again.", overflow, "Done."], target);
	await converse(tau);
	expect((await tau.run(["-p", "-c", "Go.", ...model])).out.trim()).toBe("Done.");
	expect(new Set(modelsOf(tau))).toEqual(new Set(["played-1"]));
});

test("a compaction that fails leaves the session, its file and its context as they were", async () => {
	const refused: Step = {
		when: { bodyContains: "Reply with the summary" },
		fault: { http: 401 },
		times: "always",
	};
	await using tau = await launchWith("", [refused, "Read.", "Read again.", "Onward."]);
	await converse(tau);
	await using rpc = startRpc(tau, ["-c", ...model]);
	const { sessionFile } = (await rpc.ask({ type: "get_state" })).data as { sessionFile: string };
	const messages = (await rpc.ask({ type: "get_messages" })).data;
	const before = readFileSync(sessionFile, "utf8");
	const response = await rpc.ask({ type: "compact" });
	expect(response).toMatchObject({ success: false, error: expect.any(String) });
	expect(readFileSync(sessionFile, "utf8")).toBe(before);
	expect((await rpc.ask({ type: "get_messages" })).data).toEqual(messages);
	expect(await rpc.until(isEvent("compaction_end"))).toMatchObject({ result: null, willRetry: false });
	await rpc.ask({ type: "prompt", message: "Go." });
	await rpc.until(isEvent("agent_end"));
	expect(tau.played.requests.at(-1)?.rawBody).toContain(long.trim());
});

test("snapcompact recovers with images, which are resumed; a model that cannot see gets a summary", async () => {
	const steps = [summary, "Read.", "Read again.", overflow, "Done.", "Still.", "In words."];
	await using tau = await launchWith("  strategy: snapcompact\n", steps);
	await converse(tau);
	expect((await tau.run(["-p", "-c", "Go.", ...model])).out.trim()).toBe("Done.");
	expect((await tau.run(["-p", "-c", "And?", ...model])).out.trim()).toBe("Still.");
	const [, , , recovered = "", resumed = ""] = tau.played.requests.map(({ rawBody }) => rawBody);
	const image = /"data":"([\w+/=]{100,})"/.exec(recovered)?.[1] ?? "";
	expect(image.length).toBeGreaterThan(100);
	expect(resumed).toContain(image);
	for (const body of [recovered, resumed]) expect(body).toContain("Never touch generated.ts.");
	expect(tau.played.requests.some(isSummary)).toBeFalse();
	const words = await tau.run(["-p", "-c", "And in words?", ...blind]);
	expect([words.out.trim(), words.err]).toEqual([
		"In words.",
		expect.stringContaining("It is summarized first."),
	]);
	expect(tau.played.requests.filter(isSummary)).toHaveLength(1);
	const last = tau.played.requests.at(-1)?.rawBody ?? "";
	expect([last.includes("Short."), last.includes(image), last.includes("Never touch generated.ts.")]).toEqual(
		[true, false, true],
	);
});
