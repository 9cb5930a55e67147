/** On the screen: ssh's questions before there is a session, the machine in the footer, and `/machine`. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "bun:test";

import { OpenTau, openTau } from "../interactive/driver.ts";
import { launch } from "../support/launch.ts";
import { needs } from "../support/needs.ts";
import { testSshd, type TestSshd } from "../support/sshd.ts";

const program = "/usr/sbin/sshd";
const overSsh = needs(program, "ssh");
const passphrase = "tell nobody";
let sshd: TestSshd;

beforeAll(async () => {
	if (existsSync(program)) sshd = await testSshd({ passphrase, unknownHost: true });
});
afterAll(async () => sshd?.[Symbol.asyncDispose]());

/** A question that comes while the user types waits for its own key. */
async function question(tau: OpenTau, words: string): Promise<void> {
	await tau.until(words);
	if (!tau.screen().includes("to answer")) return;
	tau.press("ctrlX");
	await tau.untilGone("to answer");
}

overSsh(
	"the key and the passphrase are asked for, the footer of every terminal names the machine, and /machine switches",
	async () => {
		const write = { name: "write", arguments: { path: "made.txt", content: "there\n" } };
		const steps = [{ answer: { blocks: [{ toolCall: write }] } }, "Written.", "Here again."];
		await using home = await launch({ steps });
		writeFileSync(join(home.agentDir, "config.yml"), `ssh:\n  config: ${sshd.config}\n`);
		const args = ["--machine", `ssh:box:${sshd.work}`];
		await using tau = await openTau({ steps }, { home, args, cols: 140, rows: 40 });
		await tau.until(/fingerprint is SHA256:/);
		tau.press("enter");
		await tau.until("Enter passphrase");
		tau.type(passphrase);
		await tau.until("•".repeat(passphrase.length));
		tau.press("enter");
		await tau.until(new RegExp(`box:${sshd.work} [\\d.]+ ms`));
		expect(tau.scrollback()).not.toContain(passphrase);
		const size = { cols: 140, rows: 30 };
		await using other = new OpenTau(home, { home, anyModel: true, args: ["attach"], ...size });
		await other.until(new RegExp(`box:${sshd.work} [\\d.]+ ms`));
		tau.type("/machine\r");
		await tau.until(/ms per round trip/);
		// Nothing contains commands there: the container around this test does not count.
		tau.type("write it\r");
		await question(tau, "Yes, once");
		tau.press("enter");
		await tau.until("Written.");
		expect(readFileSync(join(sshd.work, "made.txt"), "utf8")).toBe("there\n");
		tau.type("/machine local\r");
		await tau.until("Working on this machine.");
		await other.untilGone("box:");
		tau.type("/machine ssh:box:/no/such/place\r");
		await question(tau, "Enter passphrase");
		tau.type(`${passphrase}\r`);
		await tau.until("There is no directory /no/such/place on box.");
		expect(existsSync(join(home.project, "made.txt"))).toBe(false);
	},
	180_000,
);
