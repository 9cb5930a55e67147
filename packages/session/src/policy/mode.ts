/** The approval modes, from the narrowest to the widest, and what a session starts in. */
import { approvalModes, type ApprovalMode, type Boundary } from "@tau/wire";

export const modeMeanings: Record<ApprovalMode, string> = {
	plan: "read only, nothing is changed",
	ask: "ask before edits and commands",
	auto: "run what stays inside the boundary, ask about the rest",
	full: "run everything without asking",
};

/** What contains commands, and what that means for a user. */
export const boundaryMeanings: Record<Boundary, string> = {
	none: "nothing contains commands",
	sandbox: "commands are sandboxed",
	container: "in auto, commands, network and git push run unasked in this container",
};

/** One line for the user about what runs unasked, and why. */
export function modeLine(mode: ApprovalMode, boundary: Boundary): string {
	if (mode === "full") return "Runs commands and edits files without asking.";
	if (mode === "plan") return "Reads only; nothing is changed.";
	if (mode === "ask") return "Asks before it changes files or runs commands.";
	if (boundary === "none") return "Edits files of the project without asking, and asks before it runs code.";
	if (boundary === "sandbox") return "Auto mode: sandboxed commands run without asking.";
	return "Container: commands, network and git push run without asking (/mode).";
}

export function narrowerMode(one: ApprovalMode, other: ApprovalMode): ApprovalMode {
	return approvalModes.indexOf(one) < approvalModes.indexOf(other) ? one : other;
}

/** The mode of a session that neither the user nor a file has chosen one for. */
export function defaultMode(boundary: Boundary): ApprovalMode {
	return boundary === "none" ? "ask" : "auto";
}
