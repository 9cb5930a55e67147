/** pi's greeting of its author, which Tau does not have: its own line replaces it. */
import { truncateToWidth, type Component } from "@tau/tui";
import { screenTheme } from "../support/screen-theme.ts";

export class ArminComponent implements Component {
	invalidate(): void {
		// Nothing is cached.
	}

	render(width: number): string[] {
		return [truncateToWidth(screenTheme().fg("accent", " τ = 2π"), width)];
	}

	dispose(): void {
		// Nothing moves.
	}
}
