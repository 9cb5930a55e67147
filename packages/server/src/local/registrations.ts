/** What runs on this machine: each session that can be joined has a file in the runtime directory. */
import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import {
	isRecord,
	isStale,
	log,
	onDispose,
	parseOwner,
	thisProcess,
	version,
	type Env,
	runtimeDirectory,
	whyNotPrivate,
} from "@tau/utils";

import { limits } from "./limits.ts";

export type ServerKind =
	/** A Tau in a terminal, or of a program: the session ends with it. */
	| "attended"
	/** A session that outlives its terminals. */
	| "detached"
	| "daemon";

export interface Registration {
	readonly kind: ServerKind;
	readonly pid: number;
	readonly socket: string;
	/** Without it nobody is let in: whoever can read this file may join. */
	readonly token: string;
	readonly version: string;
	readonly startedAt: number;
	/** Empty for the daemon, as the next two. */
	readonly sessionId: string;
	readonly sessionFile?: string;
	readonly cwd: string;
	/** For the daemon: what it serves, since there is one for each. */
	readonly serves?: string;
}

export interface OwnRegistration extends Disposable {
	/** Writes it again: the session is another one. */
	update(fields: Partial<Registration>): void;
}

/** Says that this process can be joined at its socket. */
export function register(directory: string, name: string, first: Registration): OwnRegistration {
	const file = join(directory, `${name}.json`);
	const owner = thisProcess();
	let current = first;
	const write = (): void => {
		// Nobody reads a part of it.
		const draft = `${file}.${process.pid}.new`;
		writeFileSync(draft, JSON.stringify({ ...current, owner }), { mode: 0o600 });
		chmodSync(draft, 0o600);
		renameSync(draft, file);
	};
	write();
	const removed = onDispose(() => rmSync(file, { force: true }));
	let isOver = false;
	return {
		update(fields) {
			current = { ...current, ...fields };
			if (!isOver) write();
		},
		[Symbol.dispose]() {
			isOver = true;
			removed[Symbol.dispose]();
		},
	};
}

/** What a registration of this process begins with. */
export function ownFacts(): Pick<Registration, "pid" | "token" | "version" | "startedAt"> {
	const token = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
	return { pid: process.pid, token, version, startedAt: Date.now() };
}

/** Those of living processes, oldest first. What dead ones have left is removed. */
export function registrations(env: Env = process.env): Registration[] {
	const directory = runtimeDirectory(env);
	const names = namesIn(directory);
	// What others could have written there is not believed.
	if (names.length === 0 || whyNotPrivate(directory) !== undefined) return [];
	return names
		.map((name) => alive(join(directory, name)))
		.filter((each) => each !== undefined)
		.toSorted((a, b) => a.startedAt - b.startedAt);
}

function namesIn(directory: string): string[] {
	try {
		return readdirSync(directory).filter((name) => name.endsWith(".json"));
	} catch {
		// Nothing has run here yet.
		return [];
	}
}

function alive(file: string): Registration | undefined {
	const text = readSmall(file);
	if (text === undefined) return undefined;
	const read = parse(text);
	// A process of this machine decides for itself; the socket says whether it is there.
	if (read && !isStale(read.owner, 0)) return read.registration;
	log.info("removed what a dead session had left", { file });
	for (const left of [file, file.replace(/\.json$/, ".sock")]) rmSync(left, { force: true });
	return undefined;
}

/** A process that is just ending removes its file meanwhile. */
function readSmall(file: string): string | undefined {
	try {
		const info = statSync(file);
		return info.isFile() && info.size <= limits.registrationBytes ? readFileSync(file, "utf8") : "";
	} catch {
		return undefined;
	}
}

function parse(
	text: string,
): { registration: Registration; owner: ReturnType<typeof parseOwner> } | undefined {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return undefined;
	}
	if (!isRecord(value)) return undefined;
	const { kind, pid, socket, token, version: program, startedAt, sessionId, cwd, owner } = value;
	if (kind !== "attended" && kind !== "detached" && kind !== "daemon") return undefined;
	if (typeof pid !== "number" || typeof startedAt !== "number") return undefined;
	if (![socket, token, program, sessionId, cwd].every((each) => typeof each === "string")) return undefined;
	const registration = { ...value, owner: undefined } as unknown as Registration;
	return { registration, owner: parseOwner(JSON.stringify(owner)) };
}
