/** Finds out which sandbox this machine offers, and why it offers no better one. */
import { existsSync, mkdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { type Env, env as readEnv, hostProgram, isRecord } from "@tau/utils";

import { findOwn, standardPath } from "@tau/sys";
import { containerKind } from "./container.ts";
import { landlockVersion, leastVersion, signalVersion } from "./landlock/kernel.ts";
import { limits } from "./limits.ts";
import type { SandboxProfile } from "./profile.ts";
import { whyNoShell } from "./trial.ts";

export interface SandboxSupport {
	readonly kind: "bubblewrap" | "bubblewrap-shared-network" | "landlock" | "seatbelt" | "none";
	/** Why it is not the best kind. */
	readonly reason?: string;
	/** What the user can do about it. */
	readonly fix?: string;
	/** The path of bubblewrap. */
	readonly bwrap?: string;
}

/** Asked at the first command. The answer holds until the next boot or update, and is kept on disk. */
export function sandboxSupport(env: Env, cacheDir: string): Promise<SandboxSupport> {
	const key = questionOf(env, cacheDir);
	const pending = asked.get(key);
	if (pending) return pending;
	const before = knownSupport(env, cacheDir);
	const support = before ? Promise.resolve(before) : findSupport(env, cacheDir);
	asked.set(key, support);
	return support;
}

const asked = new Map<string, Promise<SandboxSupport>>();

/** Whatever the answer depends on that one process may ask about twice. */
function questionOf(env: Env, cacheDir: string): string {
	const names = ["PATH", "HOME", "TAU_BWRAP", "TAU_LANDLOCK"];
	return [cacheDir, ...names.map((name) => env[name])].join("\0");
}

/**
 * What is known without starting a program; undefined if only a trial can tell. An answer holds for the process: the
 * policy asks with every event, and each search for bubblewrap takes 0.3 ms.
 */
export function knownSupport(env: Env, cacheDir: string): SandboxSupport | undefined {
	const key = questionOf(env, cacheDir);
	const before = known.get(key);
	if (before) return before;
	const support = findKnown(env, cacheDir);
	if (support) known.set(key, support);
	return support;
}

const known = new Map<string, SandboxSupport>();

function findKnown(env: Env, cacheDir: string): SandboxSupport | undefined {
	const found = withoutTrial(env);
	if (typeof found === "string") return readKept(keptFile(cacheDir), supportKey(found));
	if (found.kind !== "landlock") return found;
	return readKept(landlockFile(cacheDir), supportKey(process.execPath)) && found;
}

async function findSupport(env: Env, cacheDir: string): Promise<SandboxSupport> {
	const bwrap = withoutTrial(env);
	if (typeof bwrap !== "string") return await confirmLandlock(bwrap, env, cacheDir);
	const file = keptFile(cacheDir);
	const key = supportKey(bwrap);
	const kept = readKept(file, key);
	if (kept) return kept;
	const support = await probe(bwrap, env);
	// The cause may be gone the next time.
	if (support.kind === "landlock" || support.kind === "none")
		return await confirmLandlock(support, env, cacheDir);
	writeKept(file, key, support);
	return support;
}

/** Landlock where a shell starts in it; that it does is kept on disk. */
async function confirmLandlock(support: SandboxSupport, env: Env, cacheDir: string): Promise<SandboxSupport> {
	if (support.kind !== "landlock") return support;
	const file = landlockFile(cacheDir);
	const key = supportKey(process.execPath);
	if (readKept(file, key)) return support;
	const { LandlockSandbox } = await import("./landlock/landlock.ts");
	await using sandbox = new LandlockSandbox(await smallProfile(env));
	const failure = await whyNoShell(sandbox, "/", env);
	if (failure !== undefined)
		return {
			...support,
			kind: "none",
			reason: `${support.reason}, and Landlock starts no shell (${failure})`,
		};
	writeKept(file, key, { kind: "landlock" });
	return support;
}

/** With nothing of the project or the user: what a sandbox cannot do for one of these is reported by the session. */
async function smallProfile(env: Env): Promise<SandboxProfile> {
	const { projectProfile } = await import("./profile.ts");
	return await projectProfile({ cwd: "/", home: readEnv("HOME", env) ?? "/", isReadOnly: true });
}

/** The path of a bubblewrap that is worth a trial, or what this machine has instead. */
function withoutTrial(env: Env): string | SandboxSupport {
	if (process.platform === "darwin") return seatbelt();
	if (process.platform !== "linux")
		return { kind: "none", reason: `Tau has no sandbox for ${process.platform}` };
	const bwrap = findBubblewrap(env);
	if (bwrap === undefined)
		return withoutBubblewrap({ reason: "bubblewrap is not installed", fix: installation() }, env);
	if (!findOwn("nsenter"))
		return withoutBubblewrap(
			{ reason: "nsenter is not installed", fix: "Install the package util-linux." },
			env,
		);
	return bwrap;
}

function keptFile(cacheDir: string): string {
	return join(cacheDir, "sandbox.json");
}

function landlockFile(cacheDir: string): string {
	return join(cacheDir, "landlock.json");
}

/** The system's own one first: a project must not bring one. */
function findBubblewrap(env: Env): string | undefined {
	const named = readEnv("TAU_BWRAP", env);
	if (named !== undefined) return existsSync(named) ? named : undefined;
	return hostProgram("bwrap", `${standardPath}:/run/current-system/sw/bin:${env.PATH ?? ""}`);
}

function seatbelt(): SandboxSupport {
	const program = "/usr/bin/sandbox-exec";
	if (existsSync(program)) return { kind: "seatbelt" };
	return { kind: "none", reason: `${program} is missing` };
}

async function probe(bwrap: string, env: Env): Promise<SandboxSupport> {
	const best = await tryRun(bwrap, []);
	if (best === undefined) return await confirmed({ kind: "bubblewrap", bwrap }, env);
	if ((await tryRun(bwrap, ["--share-net"])) === undefined) {
		const reason = `this machine allows no network namespace (${best})`;
		return await confirmed({ kind: "bubblewrap-shared-network", bwrap, reason }, env);
	}
	return withoutBubblewrap(explainRefusal(best, containerKind(process.env), kernelSetting), env);
}

/** Bubblewrap works: shells of a session also enter its namespaces and get a filter. */
async function confirmed(support: SandboxSupport, env: Env): Promise<SandboxSupport> {
	const { Sandbox } = await import("./sandbox.ts");
	await using sandbox = new Sandbox(await smallProfile(env), support);
	const failure = await whyNoShell(sandbox, "/", env);
	if (failure === undefined) return support;
	return withoutBubblewrap({ reason: `bubblewrap starts no shell (${failure})` }, env);
}

/** Landlock where the kernel has it. */
function withoutBubblewrap(
	{ reason, fix }: Pick<SandboxSupport, "reason" | "fix">,
	env: Env,
): SandboxSupport {
	const help = fix === undefined ? {} : { fix };
	const version = /^(?:0|off|no|false)$/i.test(readEnv("TAU_LANDLOCK", env) ?? "") ? 0 : landlockVersion();
	if (version < leastVersion) return { kind: "none", ...(reason === undefined ? {} : { reason }), ...help };
	const signals = version < signalVersion ? "; this kernel lets commands signal your other processes" : "";
	return { kind: "landlock", reason: `bubblewrap would contain more, but ${reason}${signals}`, ...help };
}

/** The first line of its complaint; undefined if it works. */
async function tryRun(bwrap: string, network: readonly string[]): Promise<string | undefined> {
	const program = hostProgram("true", standardPath) ?? "/bin/true";
	const args = ["--unshare-all", ...network, "--uid", "0", "--gid", "0", "--ro-bind", "/", "/"];
	const child = Bun.spawn(
		[bwrap, ...args, "--proc", "/proc", "--dev", "/dev", "--cap-drop", "ALL", program],
		{ stdin: "ignore", stdout: "ignore", stderr: "pipe", timeout: limits.startMs, env: {} },
	);
	const [code, complaint] = await Promise.all([child.exited, child.stderr.text()]);
	if (code === 0) return undefined;
	return complaint.trim().split("\n")[0] || `bubblewrap exited with ${code}`;
}

/** How a user becomes root here, before a command; and how that is said where no program does it. */
function rootWords(): { sudo: string; run: string } {
	if (process.getuid?.() === 0) return { sudo: "", run: "Run" };
	return findOwn("sudo") === undefined ? { sudo: "", run: "Run as root" } : { sudo: "sudo ", run: "Run" };
}

function apparmorFix(): string {
	const { sudo, run } = rootWords();
	const link = "ln -s /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/";
	const commands = ["apt-get install apparmor-profiles", link, "systemctl reload apparmor"];
	return `Allow them for bubblewrap. ${run}: ${commands.map((command) => `${sudo}${command}`).join(" && ")}.`;
}

const containerOptions = ["seccomp", "apparmor", "systempaths"]
	.map((name) => `--security-opt ${name}=unconfined`)
	.join(" ");

/** Why user namespaces are refused here, as far as the system says. */
export function explainRefusal(
	complaint: string,
	container: string | undefined,
	setting: (name: string) => string | undefined,
): Pick<SandboxSupport, "reason" | "fix"> {
	const { sudo, run } = rootWords();
	if (setting("kernel/apparmor_restrict_unprivileged_userns") === "1")
		return {
			reason: `AppArmor refuses user namespaces to unprivileged programs, as on Ubuntu 23.10 and later (${complaint})`,
			fix: `${apparmorFix()} Or for all programs: ${sudo}sysctl kernel.apparmor_restrict_unprivileged_userns=0.`,
		};
	if (setting("kernel/unprivileged_userns_clone") === "0")
		return {
			reason: `the kernel refuses user namespaces to unprivileged programs (${complaint})`,
			fix: `${run}: ${sudo}sysctl kernel.unprivileged_userns_clone=1.`,
		};
	if (setting("user/max_user_namespaces") === "0")
		return {
			reason: `the kernel allows no user namespaces (${complaint})`,
			fix: `${run}: ${sudo}sysctl user.max_user_namespaces=15000.`,
		};
	if (container !== undefined)
		return {
			reason: `this ${container} environment allows no user namespaces (${complaint})`,
			fix: `The container is a boundary already. For a sandbox inside of it, start it with ${containerOptions}.`,
		};
	return { reason: complaint };
}

function kernelSetting(name: string): string | undefined {
	try {
		return readFileSync(`/proc/sys/${name}`, "utf8").trim();
	} catch {
		return undefined;
	}
}

function installation(): string {
	const managers = {
		"apt-get": "apt-get install bubblewrap",
		dnf: "dnf install bubblewrap",
		pacman: "pacman -S bubblewrap",
		zypper: "zypper install bubblewrap",
		apk: "apk add bubblewrap",
	};
	const manager = Object.entries(managers).find(([name]) => findOwn(name) !== undefined);
	const { sudo, run } = rootWords();
	return manager ? `${run}: ${sudo}${manager[1]}.` : "Install the package bubblewrap.";
}

/** What is tried. Answers of a trial that tried less do not count. */
const trialVersion = 2;

/** What a trial depends on. A container has another mount namespace than the last one with the same home. */
function supportKey(program: string): string {
	const boot = kernelSetting("kernel/random/boot_id") ?? "";
	const settings = ["kernel/apparmor_restrict_unprivileged_userns", "user/max_user_namespaces"].map(
		kernelSetting,
	);
	const changed = statSync(program, { throwIfNoEntry: false })?.mtimeMs;
	return [trialVersion, boot, mountNamespace(), program, changed, process.getuid?.(), ...settings].join(" ");
}

function mountNamespace(): string | undefined {
	try {
		return readlinkSync("/proc/self/ns/mnt");
	} catch {
		// Nobody tells: then only the other parts of the key count.
		return undefined;
	}
}

function readKept(file: string, key: string): SandboxSupport | undefined {
	try {
		const kept: unknown = JSON.parse(readFileSync(file, "utf8"));
		if (!isRecord(kept) || kept.key !== key || !isRecord(kept.support)) return undefined;
		return typeof kept.support.kind === "string" ? (kept.support as unknown as SandboxSupport) : undefined;
	} catch {
		// Missing or torn: it is found out again.
		return undefined;
	}
}

function writeKept(file: string, key: string, support: SandboxSupport): void {
	try {
		mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
		writeFileSync(file, JSON.stringify({ key, support }), { mode: 0o600 });
	} catch {
		// Then it is found out again by the next program.
	}
}
