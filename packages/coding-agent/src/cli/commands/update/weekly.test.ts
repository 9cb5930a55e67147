/** A new version is looked for once a week, and only where the user wants it. */
import { expect, test } from "bun:test";
import { generateKeyPairSync, sign } from "node:crypto";
import { mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { dirs } from "@tau/utils";

import { weeklyNotice } from "./weekly.ts";

test("a newer release is named once a week; offline, nothing is asked", async () => {
	const home = mkdtempSync(join(tmpdir(), "tau-weekly-"));
	const before = { ...process.env };
	const { privateKey, publicKey } = generateKeyPairSync("ed25519");
	const manifest = Buffer.from(
		JSON.stringify({
			name: "tau",
			version: "99.0.0",
			files: [{ platform: "played", file: "a.tar.gz", size: 1, sha256: "0".repeat(64) }],
		}),
	);
	let asked = 0;
	await using server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch({ url }) {
			asked++;
			return new Response(
				url.endsWith(".sig") ? sign(null, manifest, privateKey).toString("base64") : manifest,
			);
		},
	});
	const key = publicKey.export({ type: "spki", format: "pem" }).toString();
	const installation = { kind: "standalone", path: "/nowhere/tau", platform: "played", key } as const;
	const look = () => weeklyNotice(AbortSignal.timeout(60_000), installation);
	try {
		Object.assign(process.env, { HOME: home, TAU_RELEASES_URL: server.url.origin });
		delete process.env.TAU_CODING_AGENT_DIR;
		process.env.TAU_OFFLINE = "1";
		expect(await look()).toBeUndefined();
		expect(asked).toBe(0);
		delete process.env.TAU_OFFLINE;
		expect(await look()).toContain("Tau 99.0.0 is available");
		const once = asked;
		expect(await look()).toBeUndefined();
		expect(asked).toBe(once);
		const old = Date.now() / 1000 - 8 * 86_400;
		utimesSync(join(dirs().state, "update-check"), old, old);
		expect(await look()).toContain("Tau 99.0.0 is available");
	} finally {
		for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
		Object.assign(process.env, before);
		rmSync(home, { recursive: true });
	}
});
