/** Files that no session refers to are removed on request, with images and outputs of real runs. */
import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { modelsYml, type Scenario } from "@tau/ai/testing";
import { expect, test } from "bun:test";

import { launch, type Launched } from "../support/launch.ts";

/** With a model that has vision. */
async function seeing(scenario: Scenario): Promise<Launched> {
	const tau = await launch(scenario);
	const models = modelsYml(tau.played, { api: "anthropic-messages", input: ["text", "image"] });
	writeFileSync(join(tau.agentDir, "models.yml"), models);
	return tau;
}

/** An image that is large enough for its own file. */
function picture(tau: Launched, name: string): void {
	const png = Buffer.from(
		"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
		"base64",
	);
	writeFileSync(join(tau.project, name), Buffer.concat([png, Buffer.alloc(4000, name)]));
}

function old(path: string): void {
	const then = Date.now() / 1000 - 2 * 60 * 60;
	utimesSync(path, then, then);
}

function sessionFiles(tau: Launched): string[] {
	const base = join(tau.agentDir, "sessions");
	return readdirSync(base, { recursive: true, encoding: "utf8" })
		.filter((name) => name.endsWith(".jsonl"))
		.map((name) => join(base, name))
		.toSorted();
}

test("tau sessions gc removes images and outputs of deleted sessions, and leaves the others", async () => {
	await using tau = await seeing({ steps: [{ answer: "one" }, { answer: "two" }, { answer: "again" }] });
	for (const name of ["one.png", "two.png"]) {
		picture(tau, name);
		expect((await tau.run(["-p", `@${name}`, "what is this?"])).code).toBe(0);
	}
	const blobs = join(tau.agentDir, "blobs");
	expect(readdirSync(blobs)).toHaveLength(2);
	const [first = "", second = ""] = sessionFiles(tau);
	const outputs = first.slice(0, -".jsonl".length);
	mkdirSync(outputs);
	writeFileSync(join(outputs, "0.bash.log"), "x".repeat(1000));
	rmSync(first);

	const young = await tau.run(["sessions", "gc"]);
	expect(young).toMatchObject({ code: 0, out: expect.stringContaining("Skipped: 1 image") });
	const images = readdirSync(blobs).map((name) => join(blobs, name));
	for (const path of [...images, join(outputs, "0.bash.log"), outputs]) old(path);
	const dry = await tau.run(["sessions", "gc", "--dry-run"]);
	expect(dry.out).toMatch(/^Would remove 1 image, 1 output directory.*: [\d.]+ kB\.\n$/);
	expect([readdirSync(blobs).length, existsSync(outputs)]).toEqual([2, true]);
	const json = await tau.run(["sessions", "gc", "--mode", "json"]);
	expect(JSON.parse(json.out)).toMatchObject({ dryRun: false, blobs: { count: 1 }, outputs: { count: 1 } });
	expect([readdirSync(blobs).length, existsSync(outputs)]).toEqual([1, false]);
	expect((await tau.run(["sessions", "gc"])).out).toBe("Nothing to remove.\n");

	// The image of the remaining session is sent to the model again.
	expect(readFileSync(second, "utf8")).toContain("blob:sha256:");
	const image = readFileSync(join(tau.project, "two.png"));
	expect((await tau.run(["-p", "-c", "and again?"])).code).toBe(0);
	expect(JSON.stringify(tau.played.requests.at(-1)?.body)).toContain(image.toString("base64"));
});

test("files of a session in the trash or in another directory stay", async () => {
	await using tau = await seeing({ steps: [{ answer: "one" }, { answer: "two" }] });
	picture(tau, "one.png");
	picture(tau, "two.png");
	await tau.run(["-p", "@one.png", "what is this?"]);
	await tau.run(["-p", "--session-dir", "elsewhere", "@two.png", "what is this?"]);
	const [session = ""] = sessionFiles(tau);
	await tau.run(["sessions", "rm", session]);
	const blobs = join(tau.agentDir, "blobs");
	const images = readdirSync(blobs).filter((name) => name.length === 64);
	expect(images).toHaveLength(2);
	for (const name of images) old(join(blobs, name));
	expect(await tau.run(["sessions", "gc"])).toMatchObject({ code: 0, err: "" });
	expect(readdirSync(blobs).filter((name) => name.length === 64)).toEqual(images);
});

test("a session continues without a missing image, and reports it", async () => {
	await using tau = await seeing({ steps: [{ answer: "one" }, { answer: "again" }] });
	picture(tau, "one.png");
	await tau.run(["-p", "@one.png", "what is this?"]);
	renameSync(join(tau.agentDir, "blobs"), join(tau.agentDir, "gone"));
	expect((await tau.run(["sessions", "doctor"])).out).toContain("refers to a missing image: blob:sha256:");
	const { code, out, err } = await tau.run(["-p", "-c", "and again?"]);
	expect({ code, out }).toEqual({ code: 0, out: "again\n" });
	expect(err).toContain("is missing. The session continues without it.");
	expect(JSON.stringify(tau.played.requests.at(-1)?.body)).toContain("An image was here.");
});
