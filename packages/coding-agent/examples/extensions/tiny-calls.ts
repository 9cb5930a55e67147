/** Draws every call of `ls` and `find` as one dim line, and leaves all others as they are. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function tinyCalls(pi: ExtensionAPI) {
	pi.registerToolRenderer(["ls", "find"], {
		renderCall: (args, theme, { toolName }) =>
			rows((width) => [theme.fg("dim", `looks: ${pi.describeToolCall(toolName, args)}`.slice(0, width))]),
		// Returns nothing: the result is drawn only when it is expanded.
		renderResult: (_result, { expanded }) => (expanded ? undefined : rows(() => [])),
	});
}

/** A component is anything that gives rows of text. */
function rows(render: (width: number) => string[]) {
	return { render, invalidate() {} };
}
