/** The bounds of a todo list: a longer one is a document, and belongs into a file. */
export const limits = {
	ops: 100,
	phases: 50,
	tasks: 500,
	/** Of a task's or a phase's words. */
	chars: 500,
} as const;
