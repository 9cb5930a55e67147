/** pi's greeting of its author, which Tau has not: a line of its own stands in its place. */
import { truncateToWidth, type Component } from "@tau/tui";
import { screenTheme } from "../support/screen-theme.ts";

export class ArminComponent implements Component {
	invalidate(): void {
		// Nothing is kept.
	}

	render(width: number): string[] {
		return [truncateToWidth(screenTheme().fg("accent", " τ = 2π"), width)];
	}

	dispose(): void {
		// Nothing moves.
	}
}
