/** Ports that cross the sandbox of a session: servers inside that the user may reach, and services of the user. */
import type { CommandSandbox, Denial, PublishedPort } from "@tau/machines/sandbox";
import { log, once } from "@tau/utils";

import type { Settings } from "@tau/config/settings";

/** What the session's approval policy decides about ports. */
export interface PortPolicy {
	/** Whether someone can answer now. */
	canAsk?(): boolean;
	/** Whether a server of the sandbox becomes reachable for the user; `by` is the command that started it. */
	requestPort?(port: number, by: string, signal: AbortSignal): Promise<boolean>;
	/** Whether commands may connect to a service on this machine's loopback. */
	requestLocal?(port: number, signal: AbortSignal): Promise<boolean>;
	/** The services that the user has allowed for longer. */
	localPorts?(): Promise<readonly number[]>;
}

export interface SessionPortsOptions {
	/** Those that run, with the current one last. */
	sandboxes(): Promise<readonly CommandSandbox[]>;
	settings: Pick<Settings, "get">;
	policy: PortPolicy | undefined;
	/** Aborts with the session. */
	signal: AbortSignal;
}

type PortRule = "allow" | "ask" | "deny";

/** Asked for after every command. */
const network = once(() => import("@tau/machines/network"));

/** Ports of which an answer is remembered. */
const mostAnswers = 200;
/** After as many a command that tries one port after the other gets no more questions. */
const mostRefusals = 8;

export class SessionPorts {
	readonly #options: SessionPortsOptions;
	/** Ports that the user was asked about, or that nobody could be asked about. */
	readonly #offered = new Set<number>();
	readonly #declined = new Set<number>();
	#refusals = 0;

	constructor(options: SessionPortsOptions) {
		this.#options = options;
	}

	/** Whether a rule opens a port before anyone is asked. */
	get hasRules(): boolean {
		const { settings } = this.#options;
		const words = [...settings.get("sandbox.network.publish"), ...settings.get("sandbox.network.local")];
		return words.some((word) => word !== "ask" && word !== "deny");
	}

	/** Ports of servers inside that nothing was decided about. */
	async fresh(): Promise<number[]> {
		const ports = (await this.#options.sandboxes()).flatMap(({ loopback }) => loopback?.listening() ?? []);
		return [...new Set(ports)].filter((port) => !this.#offered.has(port));
	}

	/** Asks once for each port of the session. Undefined where the user does not want it, or cannot be asked. */
	async offer(port: number, by: string): Promise<PublishedPort | undefined> {
		const { policy, settings, signal } = this.#options;
		const rule = portRule(settings.get("sandbox.network.publish"), port);
		if (this.#offered.size < mostAnswers) this.#offered.add(port);
		else return undefined;
		const isAsked = rule === "ask" && policy?.canAsk?.() === true && this.#refusals < mostRefusals;
		const isYes = rule === "allow" || (isAsked && (await policy.requestPort?.(port, by, signal)) === true);
		if (isAsked && !isYes) this.#refusals++;
		const found = isYes ? await this.#sandboxWith(port) : undefined;
		// The server has ended while the question was open: a yes holds when it starts again.
		if (isYes && !found) this.#offered.delete(port);
		return await found?.loopback?.publish(port);
	}

	async published(): Promise<readonly PublishedPort[]> {
		return (await this.#options.sandboxes()).flatMap(({ loopback }) => loopback?.published ?? []);
	}

	/** Closes ports whose server has ended; returns them. A yes still holds when the server starts again. */
	async closeUnused(): Promise<PublishedPort[]> {
		const closed: PublishedPort[] = [];
		for (const { loopback } of await this.#options.sandboxes()) {
			if (!loopback || loopback.published.length === 0) continue;
			const listening = new Set(loopback.listening());
			for (const each of loopback.published) {
				if (listening.has(each.port)) continue;
				loopback.unpublish(each.port);
				this.#offered.delete(each.port);
				closed.push(each);
			}
		}
		return closed;
	}

	/** Services of the user that a command was refused, as far as its text and output tell. */
	async refusedLocal(ran: { output: string; command: string }, sandbox: CommandSandbox): Promise<Denial[]> {
		const { loopback, hasOwnLoopback = false } = sandbox;
		if (!hasOwnLoopback) return [];
		const { isOpenHere, refusedPorts } = await network();
		// Without it, a service inside is indistinguishable from none: then only what was printed counts.
		const ports = refusedPorts({ ...ran, mayBeSilent: loopback !== undefined });
		if (ports.length === 0) return [];
		// Those inside were reached or are gone, and what is published leads back inside.
		const own = new Set([...(loopback?.listening() ?? []), ...(loopback?.reached ?? [])]);
		for (const { hostPort } of await this.published()) own.add(hostPort);
		const denials: Denial[] = [];
		for (const port of ports.filter((each) => !own.has(each)))
			if (await isOpenHere(port)) denials.push(localDenial(port));
		return denials;
	}

	/** Opens the way to a service of the user if that is allowed. */
	async requestLocal(port: number, sandbox: CommandSandbox | undefined): Promise<boolean> {
		const { policy, settings, signal } = this.#options;
		const rule = portRule(settings.get("sandbox.network.local"), port);
		if (!sandbox?.loopback || rule === "deny") return false;
		if (rule === "ask" && (this.#declined.has(port) || this.#refusals >= mostRefusals)) return false;
		const isYes = rule === "allow" || (await policy?.requestLocal?.(port, signal)) === true;
		if (!isYes) {
			this.#declined.add(port);
			this.#refusals++;
			return false;
		}
		await sandbox.loopback.reach(port);
		return true;
	}

	/** The services that are reachable from the start: those that a rule or a grant names. */
	async localPorts(): Promise<readonly number[]> {
		const { policy, settings } = this.#options;
		const words = settings.get("sandbox.network.local");
		if (words.includes("deny")) return [];
		try {
			const granted = (await policy?.localPorts?.()) ?? [];
			return [...new Set([...words.flatMap((word) => portIn(word) ?? []), ...granted])];
		} catch (error) {
			log.warn("services of this machine are not reachable from the sandbox", { reason: String(error) });
			return [];
		}
	}

	async #sandboxWith(port: number): Promise<CommandSandbox | undefined> {
		const all = await this.#options.sandboxes();
		return all.findLast(({ loopback }) => loopback?.listening().includes(port));
	}
}

function localDenial(port: number): Denial {
	return {
		what: `127.0.0.1:${port} is a service of the user's machine, and the sandbox has a loopback of its own`,
		subject: `127.0.0.1:${port}`,
		allow: { setting: "sandbox.network.local", values: [`${port}`] },
		mayRunOutside: false,
		localPort: port,
	};
}

/** A port that a rule names is allowed; otherwise a word decides. */
function portRule(words: readonly string[], port: number): PortRule {
	if (words.includes("deny")) return "deny";
	return words.some((word) => word === "allow" || portIn(word) === port) ? "allow" : "ask";
}

/** `5432`, `127.0.0.1:5432` or `localhost:5432`. */
function portIn(word: string): number | undefined {
	const [, port] = /(?:^|:)(\d{1,5})$/.exec(word.trim()) ?? [];
	return port === undefined ? undefined : Number(port);
}
