/** The dialog that asks whether a project's own code may run. */
import { basename, relative } from "node:path";

import { shortenHome, stripControls } from "@tau/utils";
import type { AnswerOf, RequestKind, UserRequest, UserRequestOf } from "@tau/wire";

import { limits } from "../limits.ts";
import { plural } from "../views/format.ts";
import { offer, type OverlayHost } from "./offer.ts";

/** Shows the question on the screen, also before there is a session. */
export class TrustDialog {
	readonly kinds: ReadonlySet<RequestKind> = new Set(["trust"]);
	readonly #host: OverlayHost;
	readonly #answer: (id: string, answer: AnswerOf<"trust"> | undefined) => void;

	/** `answer` is called with undefined where the user decides later. */
	constructor(host: OverlayHost, answer: (id: string, answer: AnswerOf<"trust"> | undefined) => void) {
		this.#host = host;
		this.#answer = answer;
	}

	open(request: UserRequest, closed: AbortSignal): void {
		if (request.kind === "trust") void this.#show(request, closed);
	}

	async #show({ id, project, runs }: UserRequestOf<"trust">, closed: AbortSignal): Promise<void> {
		const title = titleOf({ cwd: project, runs });
		// The first option is the one that an accidental Enter selects.
		const answer = await offer(
			this.#host,
			title,
			[
				{ value: "later", label: "Not now", description: "don't load it; ask again next time" },
				{ value: "yes", label: "Yes, trust it", description: "load it now and in future runs" },
				{ value: "no", label: "No", description: "don't load it, and don't ask again" },
			],
			{ signal: closed },
		);
		if (closed.aborted) return;
		const isDecided = answer === "yes" || answer === "no";
		this.#answer(id, isDecided ? { trusted: answer === "yes", remember: true } : undefined);
	}
}

function titleOf({ cwd, runs }: Pick<UserRequestOf<"trust">, "runs"> & { cwd: string }): string {
	if (runs.every(({ path }) => basename(path) === ".env")) return envTitle(cwd);
	const isAgain = runs.some(({ kind }) => kind !== undefined);
	const shown = runs
		.slice(0, limits.trustPaths)
		.flatMap(({ path, kind, commands = [] }) => [
			`  ${clean(relative(cwd, path))}${kind === undefined ? "" : ` (${clean(kind)})`}`,
			...commands.slice(0, limits.trustPaths).map((command) => `    ${clean(command)}`),
		]);
	const more = Math.max(0, runs.length - limits.trustPaths);
	const here = clean(shortenHome(cwd));
	return [
		isAgain ? "Trust this project's code again?" : "Trust this project's code?",
		isAgain
			? `The code of ${here} has changed since you trusted it:`
			: `${here} contains ${plural(runs.length, "file")} that would run code:`,
		...shown,
		...(more > 0 ? [`  and ${more} more`] : []),
		"It would run with your full permissions. Only trust projects whose authors you trust.",
	].join("\n");
}

function envTitle(cwd: string): string {
	return [
		`Do you trust the project in ${clean(shortenHome(cwd))}?`,
		"Its .env contains API keys for model providers. Tau reads it only if you trust the project, and asks about each key. Extensions, hooks and tools of the project will also run without asking.",
		"Only trust projects whose authors you trust.",
	].join("\n");
}

/** File names come from the project. */
function clean(text: string): string {
	return stripControls(text, { newline: false, tab: false });
}
