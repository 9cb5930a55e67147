/** The bounds of what extensions show on the screen, each with its reason. */
export const limits = {
	/** Lines of a widget that is given as text; enough for a todo list, with space left for the editor. */
	widgetLines: 10,
	/** The default time between two frames of a working indicator; faster ones are not drawn. */
	indicatorMs: 80,
} as const;
