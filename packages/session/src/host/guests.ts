/** What a client that is not the owner may not decide: what its words expand to, and questions about the owner's things. */
import { permits, type ClientInfo, type RequestKind, type Right } from "@tau/wire";

import type { Prompt } from "../run/prompt.ts";

/**
 * A prompt with the name of its author. That of a guest calls no templates and skills, and people read of it what the
 * model reads.
 */
export function signedPrompt(prompt: Prompt, by: ClientInfo | undefined, name: string | undefined): Prompt {
	const signed = name === undefined ? prompt : { ...prompt, by: name };
	if (!by || permits(by.rights, "control")) return signed;
	const { userText: _, invocation: __, ...verbatim } = signed;
	return { ...verbatim, isVerbatim: true };
}

/** Guests answer what the model asks; dialogs, trust and terminals are about the owner's machine. */
export function answerRight(kind: RequestKind | undefined): Right {
	return kind === "dialog" || kind === "trust" || kind === "terminal" ? "control" : "approve";
}
