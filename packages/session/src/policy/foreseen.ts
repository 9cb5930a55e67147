/** What the sandbox would ask about a command that is asked about anyway, so that the user answers once. */
import type { Touch } from "@tau/agent";
import { outsideCommand, registryOf } from "@tau/machines/sandbox";

import { hostSubjects } from "./approval-request.ts";
import type { CallItem } from "./call-items.ts";
import type { Ask } from "./judge.ts";
import { isWithin } from "./real-path.ts";

export interface ForeseenContext {
	/** Directories that the sandbox lets a command write to. */
	readonly roots: readonly string[];
	readonly project: string;
	/** Whether a connection to the host would be asked about. */
	isAsked(host: string): boolean;
}

/** The hosts that a program connects to when it installs packages. */
const installers: Readonly<Record<string, string>> = {
	npm: "registry.npmjs.org",
	npx: "registry.npmjs.org",
	pnpm: "registry.npmjs.org",
	yarn: "registry.yarnpkg.com",
	bun: "registry.npmjs.org",
	bunx: "registry.npmjs.org",
	pip: "pypi.org",
	pip3: "pypi.org",
	uv: "pypi.org",
	poetry: "pypi.org",
	cargo: "crates.io",
	go: "proxy.golang.org",
	gem: "rubygems.org",
	bundle: "rubygems.org",
	composer: "packagist.org",
};

/** Further consequences of a command in the sandbox, for the same question. */
export function foreseenAsks(
	asks: readonly Ask[],
	command: Extract<Touch, { kind: "exec" }> | undefined,
	context: ForeseenContext,
): Ask[] {
	if (!command || command.machine !== undefined || command.language !== undefined) return [];
	return [...outsideAsks(asks, command, context), ...hostAsks(asks, context)];
}

/** Files outside of the project are hidden or read-only in the sandbox. */
function outsideAsks(
	asks: readonly Ask[],
	command: Extract<Touch, { kind: "exec" }>,
	{ roots, project }: ForeseenContext,
): Ask[] {
	const isOutside = ({ item }: Ask): boolean => {
		if (item.kind !== "read" && item.kind !== "write") return false;
		const real = item.paths.at(-1);
		return item.byCommand && real !== undefined && !roots.some((root) => isWithin(real, root));
	};
	const cause = asks.find(isOutside);
	if (!cause) return [];
	const subject = { kind: "outside", text: outsideCommand(command, project) } as const;
	return [further(cause.item, "runs outside the sandbox, where that is possible", subject, false)];
}

function hostAsks(asks: readonly Ask[], { isAsked }: ForeseenContext): Ask[] {
	return asks.flatMap(({ item }) => {
		if (item.kind !== "run" || item.run.network !== true) return [];
		return hostsOf(item.run.name, item.run.argv)
			.filter(isAsked)
			.flatMap((host) => {
				const about: CallItem = { kind: "fetch", url: host, host };
				const registry = registryOf(host);
				const reason = `connects to ${registry === undefined ? host : `the ${registry.name}`}`;
				return hostSubjects(host).map((subject) => further(about, reason, subject, true));
			});
	});
}

function hostsOf(name: string, argv: readonly (string | undefined)[]): string[] {
	const registry = Object.hasOwn(installers, name) ? installers[name] : undefined;
	const urls = argv.flatMap((word) =>
		/^https?:\/\//i.test(word ?? "") ? (URL.parse(word ?? "") ?? []) : [],
	);
	const hosts = urls.map(({ hostname }) => hostname.toLowerCase().replace(/^\[|\]$/g, ""));
	return [...new Set(hosts.length === 0 && registry !== undefined ? [registry] : hosts)];
}

function further(
	item: CallItem,
	reason: string,
	subject: NonNullable<Ask["subject"]>,
	mayStay: boolean,
): Ask {
	return { verdict: "ask", item, cause: "mode", reason, subject, mayStay, runsUnanswered: true };
}
