/** The bounds of a todo list: a longer one is a document, and belongs into a file. */
export const limits = {
	ops: 100,
	phases: 50,
	tasks: 500,
	/** The length of a task's or a phase's text. */
	chars: 500,
} as const;
