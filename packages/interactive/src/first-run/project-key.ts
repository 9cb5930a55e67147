/** Asks whether a key of the project's `.env` may be used for its provider, and remembers a yes or a no for that key. */
import { basename } from "node:path";

import { shortenHome, stripControls } from "@tau/utils";

import { setKeyAnswer } from "@tau/extensions/trust";
import { offer, type OverlayHost } from "./offer.ts";

export interface KeyQuestion {
	cwd: string;
	agentDir: string;
	/** The file and the variable that the key is in. */
	file: string;
	variable: string;
	value: string;
	/** Whom the key is for. */
	holders: readonly { id: string; label: string }[];
	signal?: AbortSignal;
	/** Gets the reason if the answer could not be saved: then it applies to this run. */
	onNotice(message: string): void;
}

/** Undefined when the user puts it off: the question comes again the next time. */
export async function askProjectKey(host: OverlayHost, question: KeyQuestion): Promise<boolean | undefined> {
	const answer = await offer(
		host,
		titleOf(question),
		[
			// The first choice is what a stray Enter takes.
			{ value: "later", label: "Not now", description: "don't use it; ask again next time" },
			{ value: "yes", label: "Yes, use it", description: "for this project, until the key changes" },
			{ value: "no", label: "No", description: "don't use it, and don't ask until the key changes" },
		],
		{ signal: question.signal },
	);
	if (answer !== "yes" && answer !== "no") return undefined;
	remember(question, answer === "yes");
	return answer === "yes";
}

function remember({ cwd, agentDir, value, holders, onNotice }: KeyQuestion, allowed: boolean): void {
	try {
		for (const { id } of holders) setKeyAnswer({ cwd, provider: id, value }, agentDir, allowed);
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		onNotice(`Your answer applies to this run only, because it could not be saved: ${reason}`);
	}
}

function titleOf({ cwd, file, variable, holders }: KeyQuestion): string {
	const whom = holders.map(({ label }) => clean(label)).join(" and ");
	return [
		`Use the ${whom} key from the project in ${clean(shortenHome(cwd))}?`,
		`Its ${clean(basename(file))} sets ${clean(variable)}. Your prompts and files would be sent with this key: its owner pays for the requests and may be able to see them.`,
	].join("\n");
}

/** Names come from the project, or from its extensions. */
function clean(text: string): string {
	return stripControls(text, { newline: false, tab: false });
}
