/** A table that scrolls by itself; cells are text. */
import type { JSX } from "preact";

interface TableProps {
	head: readonly string[];
	rows: readonly (readonly string[])[];
}

export function Table({ head, rows }: TableProps): JSX.Element {
	return (
		<div class="table-scroll block" tabIndex={0} role="region" aria-label="Table">
			<table>
				<thead>
					<tr>
						{head.map((cell, at) => (
							<th key={at}>{cell}</th>
						))}
					</tr>
				</thead>
				<tbody>
					{rows.map((row, at) => (
						<tr key={at}>
							{row.map((cell, column) => (
								<td key={column}>{cell}</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}
