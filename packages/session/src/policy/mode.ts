/** The approval modes, from the narrowest to the widest, and what a session starts in. */
import { approvalModes, type ApprovalMode, type Boundary } from "@tau/wire";

export const modeMeanings: Record<ApprovalMode, string> = {
	plan: "read only: nothing is changed, and nothing is asked",
	ask: "asks before every change and every command that no rule allows",
	auto: "runs what stays inside the boundary, asks about the rest",
	full: "runs everything without asking",
};

/** One line for the user about what runs unasked, and why. */
export function modeLine(mode: ApprovalMode, boundary: Boundary): string {
	if (mode === "full") return "Runs commands and edits files without asking.";
	if (mode === "plan") return "Reads only; nothing is changed.";
	if (mode === "ask") return "Asks before it changes files or runs commands.";
	if (boundary === "none") return "Edits files of the project without asking, and asks before it runs code.";
	const where = boundary === "sandbox" ? "the sandbox" : "this container";
	return `Runs what stays inside ${where} without asking.`;
}

export function narrowerMode(one: ApprovalMode, other: ApprovalMode): ApprovalMode {
	return approvalModes.indexOf(one) < approvalModes.indexOf(other) ? one : other;
}

/** The mode of a session that neither the user nor a file has chosen one for. */
export function defaultMode(boundary: Boundary): ApprovalMode {
	return boundary === "none" ? "ask" : "auto";
}
