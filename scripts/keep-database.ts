/**
 * Prints the database at DATABASE_URL as SQL, for the tests of upgrades (CONTRIBUTING.md, "Commits, pull requests, releases"):
 *
 *   DATABASE_URL=sqlite:data/sluice.sqlite node scripts/keep-database.ts > src/storage/database/kept-databases/1.0.0.sqlite.sql
 *
 * It prints every row. Use a database that was made for this, never one with data of customers.
 */
import { dumpText } from '#testing/database-text.ts';

process.stdout.write(await dumpText(process.env.DATABASE_URL ?? ''));
