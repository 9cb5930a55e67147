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

export function narrowerMode(one: ApprovalMode, other: ApprovalMode): ApprovalMode {
	return approvalModes.indexOf(one) < approvalModes.indexOf(other) ? one : other;
}

/** The mode of a session that neither the user nor a file has chosen one for. */
export function defaultMode(boundary: Boundary): ApprovalMode {
	return boundary === "none" ? "ask" : "auto";
}
