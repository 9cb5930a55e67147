/** What the user has allowed for longer than one call: for the session in memory, for the project in the user's own directory. */
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { matchesRule, parseCommandRule } from "@tau/sys/commands";
import { log, once, shortenHome, uuidv7, waitForLock } from "@tau/utils";
import { z } from "zod";

import type { CallItem } from "./call-items.ts";
import { limits } from "./limits.ts";
import { isWithin, realPath } from "./real-path.ts";

const fileFields = once(() => ({ path: z.string(), isTree: z.boolean() }));

/** What a grant covers. */
const subjectSchema = once(() =>
	z.discriminatedUnion("kind", [
		/** Commands of a shape, as in `Bash(git commit:*)`. */
		z.object({ kind: z.literal("run"), rule: z.string() }),
		/** A whole command that cannot be analyzed, or a dangerous one: exactly this text, in the directory that was shown. */
		z.object({ kind: z.literal("command"), text: z.string(), cwd: z.string() }),
		z.object({ kind: z.literal("read"), ...fileFields() }),
		z.object({ kind: z.literal("write"), ...fileFields() }),
		/** Without a port those of the web, 80 and 443. */
		z.object({ kind: z.literal("fetch"), host: z.string(), port: z.number().optional() }),
		z.object({ kind: z.literal("tool"), name: z.string() }),
		/** A server in the sandbox that the user reaches. */
		z.object({ kind: z.literal("port"), port: z.number() }),
		/** A service on this machine's loopback that commands reach. */
		z.object({ kind: z.literal("local"), port: z.number() }),
		/** A command that may run outside of the sandbox. */
		z.object({ kind: z.literal("outside"), text: z.string() }),
	]),
);
export type GrantSubject = z.infer<ReturnType<typeof subjectSchema>>;

/** A command as the user sees it when asked. */
export type WholeCommand = Omit<Extract<GrantSubject, { kind: "command" }>, "kind">;

const grantSchema = once(() =>
	z.object({
		id: z.string(),
		/** The agent that asked: it applies to no other. */
		agent: z.string(),
		subject: subjectSchema(),
		/** Milliseconds since 1970. */
		grantedAt: z.number(),
		/** The tool whose call was approved. */
		tool: z.string(),
		uses: z.number(),
		lastUsedAt: z.number().optional(),
	}),
);
const fileSchema = once(() => z.object({ project: z.string(), grants: z.array(grantSchema()) }));

export interface Grant extends z.infer<ReturnType<typeof grantSchema>> {
	readonly scope: "session" | "project";
}

export interface GrantLocation {
	/** The directory of the user's grants. */
	directory: string;
	/** The project that they are for. */
	cwd(): string;
	sessionId(): string;
}

export class Grants {
	readonly #place: GrantLocation;
	readonly #agent: string;
	#session: { id: string; grants: Grant[] } = { id: "", grants: [] };
	#project: { cwd: string; version: string; grants: Grant[] } | undefined;

	constructor(place: GrantLocation, agent: string) {
		this.#place = place;
		this.#agent = agent;
	}

	/** Those of this agent that apply now, newest first. */
	get all(): readonly Grant[] {
		return [...this.#ofSession(), ...this.#ofProject()]
			.filter(({ agent }) => agent === this.#agent)
			.toReversed();
	}

	add(subject: GrantSubject, scope: Grant["scope"], tool: string): void {
		const isSame = (grant: Grant): boolean =>
			grant.agent === this.#agent && Bun.deepEquals(grant.subject, subject);
		const grant: Grant = {
			id: uuidv7(),
			agent: this.#agent,
			subject,
			scope,
			grantedAt: Date.now(),
			tool,
			uses: 0,
		};
		const added = (grants: readonly Grant[]): Grant[] =>
			[...grants.filter((each) => !isSame(each)), grant].slice(-limits.grants);
		if (scope === "session") this.#session.grants = added(this.#ofSession());
		else this.#change(added);
	}

	/** Returns whether there was one. */
	revoke(id: string): boolean {
		const without = (grants: readonly Grant[]): Grant[] => grants.filter((grant) => grant.id !== id);
		const isOfSession = this.#ofSession().some((grant) => grant.id === id);
		if (isOfSession) this.#session.grants = without(this.#ofSession());
		else if (this.#ofProject().some((grant) => grant.id === id)) this.#change(without);
		else return false;
		return true;
	}

	/** The grant that covers the item, if there is one. */
	covering(item: CallItem, command: WholeCommand | undefined): Grant | undefined {
		return this.all.find(({ subject }) => covers(subject, item, command));
	}

	/** Counted in memory, and stored with the next change or when the session ends. */
	use(grant: Grant): void {
		grant.uses += 1;
		grant.lastUsedAt = Date.now();
	}

	/** Uses the grant for exactly this, and returns whether there is one. */
	useFor(subject: GrantSubject): boolean {
		const known = this.all.find((grant) => Bun.deepEquals(grant.subject, subject));
		if (known) this.use(known);
		return known !== undefined;
	}

	/** Stores how often the grants of the project were used. */
	flush(): void {
		const used = new Map(this.#project?.grants.filter(({ uses }) => uses > 0).map((each) => [each.id, each]));
		if (used.size === 0) return;
		try {
			this.#change((grants) => grants.map((grant) => used.get(grant.id) ?? grant));
		} catch (error) {
			log.warn("the use of grants was not stored", { reason: String(error) });
		}
	}

	#ofSession(): Grant[] {
		const id = this.#place.sessionId();
		if (this.#session.id !== id) this.#session = { id, grants: [] };
		return this.#session.grants;
	}

	#ofProject(): Grant[] {
		const cwd = realPath(this.#place.cwd());
		const file = this.#file(cwd);
		const version = versionOf(file);
		// What another process has revoked is revoked here, too.
		if (this.#project?.cwd !== cwd || this.#project.version !== version) {
			const used = new Map(this.#project?.grants.map((grant) => [grant.id, grant]));
			const grants = read(file, cwd).map((grant) => used.get(grant.id) ?? grant);
			this.#project = { cwd, version, grants };
		}
		return this.#project.grants;
	}

	/** Other processes may change the same file: what they wrote stays. */
	#change(change: (grants: readonly Grant[]) => Grant[]): void {
		const cwd = realPath(this.#place.cwd());
		const file = this.#file(cwd);
		mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
		using _lock = waitForLock(file);
		const grants = change(read(file, cwd));
		const stored = { project: cwd, grants: grants.map(({ scope: _, ...grant }) => grant) };
		const draft = `${file}.${process.pid}.tmp`;
		writeFileSync(draft, `${JSON.stringify(stored, null, "\t")}\n`, { mode: 0o600 });
		renameSync(draft, file);
		this.#project = { cwd, version: versionOf(file), grants };
	}

	#file(cwd: string): string {
		const name = new Bun.CryptoHasher("sha256").update(cwd).digest("hex").slice(0, 32);
		return join(this.#place.directory, `${name}.json`);
	}
}

function covers(subject: GrantSubject, item: CallItem, command: WholeCommand | undefined): boolean {
	// The user has seen the whole command, with everything that it touches.
	if (subject.kind === "command") return command?.text === subject.text && command.cwd === subject.cwd;
	if (subject.kind !== item.kind) return false;
	if (item.kind === "run" && subject.kind === "run") {
		const rule = parseCommandRule(subject.rule);
		// A dangerous form of a harmless command needs its own yes.
		return item.run.danger === undefined && !("problem" in rule) && matchesRule(rule, item.run, "allow");
	}
	if (item.kind === "fetch" && subject.kind === "fetch")
		return item.host !== "" && item.host === subject.host && namedPort(item.port) === subject.port;
	if (item.kind === "tool" && subject.kind === "tool") return item.name === subject.name;
	if (
		(item.kind === "read" || item.kind === "write") &&
		(subject.kind === "read" || subject.kind === "write")
	) {
		// The last one is without links: it is the file that would be touched.
		const real = item.paths.at(-1);
		if (real === undefined) return false;
		return subject.isTree ? isWithin(real, subject.path) : real === subject.path;
	}
	return false;
}

/** The port that a yes to a host names: a service beside a site is something else than the site. */
export function namedPort(port: number | undefined): number | undefined {
	return port === 80 || port === 443 ? undefined : port;
}

/** A host with its port, if that is not one of the web. */
export function fetchSubject(
	host: string,
	port: number | undefined,
): Extract<GrantSubject, { kind: "fetch" }> {
	const named = namedPort(port);
	return { kind: "fetch", host, ...(named === undefined ? {} : { port: named }) };
}

/** A grant as a rule, for the user. */
export function grantText(subject: GrantSubject): string {
	switch (subject.kind) {
		case "run":
			return `Bash(${subject.rule})`;
		case "command":
			return `Bash(${subject.text})`;
		case "read":
		case "write": {
			const path = shortenHome(subject.path) + (subject.isTree ? "/**" : "");
			return `${subject.kind === "read" ? "Read" : "Edit"}(${path})`;
		}
		case "fetch":
			return `WebFetch(domain:${subject.host}${subject.port === undefined ? "" : `:${subject.port}`})`;
		case "tool":
			return subject.name;
		case "port":
			return `port ${subject.port} of the sandbox`;
		case "local":
			return `127.0.0.1:${subject.port} (your machine)`;
		case "outside":
			return `Bash(${subject.text}) outside the sandbox`;
	}
}

/** Changes with every write of the file, which replaces it. */
function versionOf(file: string): string {
	const facts = statSync(file, { throwIfNoEntry: false });
	return facts ? `${facts.ino} ${facts.mtimeMs} ${facts.size}` : "";
}

/** A file that is damaged, too large or of another project grants nothing. */
function read(file: string, project: string): Grant[] {
	try {
		const facts = statSync(file, { throwIfNoEntry: false });
		if (!facts || facts.size > limits.grantFileBytes) return [];
		const parsed = fileSchema().safeParse(JSON.parse(readFileSync(file, "utf8")));
		if (!parsed.success || parsed.data.project !== project) return [];
		return parsed.data.grants.map((grant) => ({ ...grant, scope: "project" }));
	} catch (error) {
		log.warn("the grants of a project cannot be read", { file, reason: String(error) });
		return [];
	}
}
