/** The bounds of what extensions show on the screen, each with its reason. */
export const limits = {
	/** Lines of a widget that is given as text; a list of things to do, and still room to write. */
	widgetLines: 10,
	/** The default time between two frames of a working indicator; faster ones are not drawn. */
	indicatorMs: 80,
} as const;
