/** The pages in a browser. The server has sent a table that can be read already; this brings it alive. */
import './style.css';
