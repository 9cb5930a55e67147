/** Asks whether a project's own code may run, once for its directory, and remembers a yes or a no. */
import { basename, relative } from "node:path";

import { shortenHome, stripControls } from "@tau/utils";
import { setTrusted, trustOf } from "@tau/extensions/trust";

import { limits } from "../limits.ts";
import { plural } from "../views/format.ts";
import { offer, type OfferPlace } from "./offer.ts";

export interface TrustQuestion {
	cwd: string;
	agentDir: string;
	/** What would run, or the `.env` that would be read. */
	paths: readonly string[];
	signal?: AbortSignal;
	/** Hears of an answer that could not be kept: it counts for this run. */
	onNotice(message: string): void;
}

/** Whoever said no is not asked again; whoever turns away is asked the next time. */
export async function askTrust(place: OfferPlace, question: TrustQuestion): Promise<boolean> {
	const { cwd, agentDir, signal } = question;
	if (trustOf(cwd, agentDir) !== undefined) return false;
	// The first one is taken by an Enter that was meant for something else.
	const answer = await offer(
		place,
		titleOf(question),
		[
			{ value: "later", label: "Not now", description: "do not use it; ask again the next time" },
			{ value: "yes", label: "Yes, trust it", description: "use it now, and from now on without asking" },
			{ value: "no", label: "No", description: "do not use it, and do not ask again" },
		],
		signal,
	);
	if (answer === "yes" || answer === "no") remember(question, answer === "yes");
	return answer === "yes";
}

function remember({ cwd, agentDir, onNotice }: TrustQuestion, trusted: boolean): void {
	try {
		setTrusted(cwd, agentDir, trusted);
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		onNotice(`Your answer counts for this run only, because it could not be kept: ${reason}`);
	}
}

function titleOf(question: TrustQuestion): string {
	const { cwd, paths } = question;
	if (paths.every((path) => basename(path) === ".env")) return envTitle(question);
	const shown = paths.slice(0, limits.trustPaths).map((path) => `  ${clean(relative(cwd, path))}`);
	const more = paths.length - shown.length;
	return [
		"May the code of this project run in Tau?",
		`${clean(shortenHome(cwd))} has ${plural(paths.length, "file")} that would run something:`,
		...shown,
		...(more > 0 ? [`  and ${more} more`] : []),
		"It can do everything that you can. Trust it if you know who wrote it.",
	].join("\n");
}

function envTitle({ cwd }: TrustQuestion): string {
	return [
		`Do you trust the project in ${clean(shortenHome(cwd))}?`,
		"Its .env holds keys for model providers. Tau reads it only if you trust the project, and asks about each key. Extensions, hooks and tools of the project will also run without asking.",
		"Trust it if you know who wrote it.",
	].join("\n");
}

/** Names of files are the project's words. */
function clean(text: string): string {
	return stripControls(text, { newline: false, tab: false });
}
