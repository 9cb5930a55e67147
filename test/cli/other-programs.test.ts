/** A user of omp or pi starts Tau, and their models, settings and sessions are there. */
import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch } from "../support/launch.ts";

test("models and the default model of omp are used, Tau writes nothing there, and one switch leaves them out", async () => {
	await using tau = await launch({ steps: [{ answer: "From omp's model.", times: "always" }] });
	const omp = join(tau.home, ".omp/agent");
	mkdirSync(omp, { recursive: true });
	renameSync(join(tau.agentDir, "models.yml"), join(omp, "models.yml"));
	writeFileSync(join(omp, "config.yml"), "modelRoles:\n  default: played/played-1\n");
	const before = readdirSync(omp);
	expect(await tau.run(["-p", "hi"])).toMatchObject({ code: 0, out: "From omp's model.\n" });
	const listed = await tau.run(["config", "get", "modelRoles"]);
	expect(listed.out).toContain("played/played-1");
	expect(readdirSync(omp)).toEqual(before);
	writeFileSync(join(tau.agentDir, "config.yml"), "discovery:\n  disabled: [omp]\n");
	const { out } = await tau.run(["-p", "hi"]);
	expect(out).not.toContain("From omp's model.");
});

test("a key of pi's auth.json is used if there is no other, and shown nowhere", async () => {
	await using tau = await launch({ steps: [{ answer: "Answered.", times: "always" }] });
	const key = `sk-ant-${"p".repeat(40)}`;
	const auth = { anthropic: { type: "api_key", key }, openai: { type: "oauth", access: "x", refresh: "y" } };
	await Bun.write(join(tau.home, ".pi/agent/auth.json"), JSON.stringify(auth));
	const args = ["-p", "hi", "--model", "anthropic/claude-sonnet-4-5", "--base-url", tau.played.anthropicUrl];
	const { code, out, err } = await tau.run(args);
	expect({ code, out }).toEqual({ code: 0, out: "Answered.\n" });
	expect(tau.played.requests[0]?.headers["x-api-key"]).toBe(key);
	expect(out + err).not.toContain("pppppppp");
	const other = await tau.run(args, { env: { ANTHROPIC_API_KEY: `sk-ant-${"e".repeat(40)}` } });
	expect(other.code).toBe(0);
	expect(tau.played.requests[1]?.headers["x-api-key"]).toContain("eeeeeeee");
});
