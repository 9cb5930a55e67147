/** What a machine offers is found out once, and why it offers no sandbox is explained with what helps. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "bun:test";

import { needs } from "../../../../test/support/needs.ts";
import { containerKind } from "./container.ts";
import { Sandbox } from "./sandbox.ts";
import { explainRefusal, knownSupport, sandboxSupport } from "./support.ts";
import { neededForLandlock, neededPrograms, sandboxFixture } from "./testing/sandbox-fixture.ts";
import { runShell } from "@tau/sys";

const sandboxed = needs(...neededPrograms, "perl");
const complaint = "bwrap: setting up uid map: Permission denied";

test("Ubuntu's AppArmor restriction is named, with the commands that lift it", () => {
	const name = "kernel/apparmor_restrict_unprivileged_userns";
	const { reason, fix } = explainRefusal(complaint, undefined, (asked) => (asked === name ? "1" : undefined));
	expect(reason).toContain("AppArmor");
	expect(fix).toContain("bwrap-userns-restrict");
	expect(fix).toContain("sysctl kernel.apparmor_restrict_unprivileged_userns=0");
});

test("switched off user namespaces are named, with the setting", () => {
	const off = (wanted: string) => (asked: string) => (asked === wanted ? "0" : undefined);
	const clone = explainRefusal(complaint, "Docker", off("kernel/unprivileged_userns_clone"));
	expect(clone.fix).toContain("kernel.unprivileged_userns_clone=1");
	const most = explainRefusal(complaint, undefined, off("user/max_user_namespaces"));
	expect(most.fix).toContain("user.max_user_namespaces");
});

test("a container without user namespaces is a boundary already", () => {
	const { reason, fix } = explainRefusal(complaint, "Docker", () => undefined);
	expect(reason).toContain("this Docker environment allows no user namespaces");
	expect(fix).toContain("boundary already");
	expect(fix).toContain("--security-opt seccomp=unconfined");
});

test("another failure is given as bubblewrap reports it", () => {
	expect(explainRefusal(complaint, undefined, () => undefined)).toEqual({ reason: complaint });
});

test("a bubblewrap that does not exist is not installed, and the fix names the package", async () => {
	const cache = mkdtempSync(join(tmpdir(), "tau-support-"));
	const env = { ...process.env, TAU_BWRAP: join(cache, "bwrap"), TAU_LANDLOCK: "0" };
	const support = await sandboxSupport(env, cache);
	expect(support).toMatchObject({ kind: "none", reason: "bubblewrap is not installed" });
	expect(support.fix).toContain("bubblewrap");
	rmSync(cache, { recursive: true });
});

test("what is known holds for the process: a session that asks with every event searches once", () => {
	const cache = mkdtempSync(join(tmpdir(), "tau-support-"));
	const bwrap = join(cache, "bwrap");
	const env = { ...process.env, TAU_BWRAP: bwrap, TAU_LANDLOCK: "0" };
	const before = knownSupport(env, cache);
	expect(before?.kind).toBe(process.platform === "darwin" ? "seatbelt" : "none");
	writeFileSync(bwrap, "");
	expect(knownSupport(env, cache)).toBe(before);
	rmSync(cache, { recursive: true });
});

needs(...neededForLandlock)(
	"without bubblewrap there is Landlock, and the fix names bubblewrap",
	async () => {
		const cache = mkdtempSync(join(tmpdir(), "tau-support-"));
		const env = { ...process.env, TAU_BWRAP: join(cache, "bwrap") };
		const support = await sandboxSupport(env, cache);
		expect(support.kind).toBe("landlock");
		expect(support.reason).toContain("bubblewrap is not installed");
		expect(support.fix).toContain("bubblewrap");
		expect(knownSupport(env, cache)).toEqual(support);
		const refusing = join(cache, "refusing");
		writeFileSync(refusing, "#!/bin/sh\necho no user namespaces >&2; exit 1\n", { mode: 0o755 });
		expect((await sandboxSupport({ ...env, TAU_BWRAP: refusing }, cache)).kind).toBe("landlock");
		rmSync(cache, { recursive: true });
	},
);

/** Passes the trial of namespaces, and refuses what a session starts. */
function halfWorking(cache: string): string {
	const bwrap = join(cache, "half");
	const script =
		"#!/bin/sh\nfor last; do :; done\ncase $last in */true) exit 0 ;; esac\necho no holder >&2; exit 1\n";
	writeFileSync(bwrap, script, { mode: 0o755 });
	return bwrap;
}

needs("nsenter", ...neededForLandlock)(
	"a bubblewrap that starts no shell falls to Landlock, and the reason says so",
	async () => {
		const cache = mkdtempSync(join(tmpdir(), "tau-support-"));
		const env = { ...process.env, TAU_BWRAP: halfWorking(cache) };
		const { kind, reason } = await sandboxSupport(env, cache);
		expect(kind).toBe("landlock");
		expect(reason).toContain("bubblewrap starts no shell (The sandbox could not be started: no holder)");
		rmSync(cache, { recursive: true });
	},
);

needs("nsenter")("a machine whose every sandbox starts no shell has none", async () => {
	const cache = mkdtempSync(join(tmpdir(), "tau-support-"));
	const env = { ...process.env, TAU_BWRAP: halfWorking(cache), TAU_LANDLOCK: "0" };
	const { kind, reason } = await sandboxSupport(env, cache);
	expect(kind).toBe("none");
	expect(reason).toContain("bubblewrap starts no shell");
	expect(readdirSync(cache)).toEqual(["half"]);
	rmSync(cache, { recursive: true });
});

sandboxed("the answer is kept on disk until the next boot", async () => {
	const cache = mkdtempSync(join(tmpdir(), "tau-support-"));
	expect((await sandboxSupport(process.env, cache)).kind).toBe("bubblewrap");
	expect(readdirSync(cache)).toEqual(["sandbox.json"]);
	rmSync(cache, { recursive: true });
});

sandboxed("without a network namespace all sockets are refused", async () => {
	await using box = await sandboxFixture();
	const bwrap = Bun.which("bwrap") ?? "";
	await using shared = new Sandbox(box.sandbox.profile, { kind: "bubblewrap-shared-network", bwrap });
	let text = "";
	const families = [1, 2, 10, 16, 17];
	await runShell(
		{
			command: families
				.map((family) => `perl -e 'socket(S, ${family}, 1, 0) and print "open\\n" or print "refused\\n"'`)
				.join("; "),
			cwd: box.cwd,
			env: box.env,
			timeoutMs: 20_000,
			signal: new AbortController().signal,
			onOutput: (chunk) => void (text += new TextDecoder().decode(chunk)),
		},
		shared,
	);
	expect(text).toBe("refused\n".repeat(families.length));
});

test("a CI job and a container are boundaries", () => {
	expect(containerKind({ GITHUB_ACTIONS: "true" })).toBeDefined();
	expect(containerKind({ KUBERNETES_SERVICE_HOST: "10.0.0.1" })).toBeDefined();
});
