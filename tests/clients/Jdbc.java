// SPDX-License-Identifier: Apache-2.0
// pgJDBC in its default mode (prepared statements, binary results after five executions) against the server.
//   java -cp postgresql.jar Jdbc.java check URL USER PASSWORD
//   java -cp postgresql.jar Jdbc.java time URL USER PASSWORD STATEMENT     milliseconds, the median of many
import java.sql.*;
import java.util.*;

public class Jdbc {
  static void expect(boolean holds, String what) {
    if (!holds) throw new AssertionError(what);
  }

  public static void main(String[] words) throws Exception {
    try (Connection connection = DriverManager.getConnection(words[1], words[2], words[3])) {
      if (words[0].equals("time")) {
        time(connection, words[4]);
      } else {
        check(connection);
        System.out.println("pgJDBC: all checks hold");
      }
    }
  }

  static void time(Connection connection, String sql) throws Exception {
    connection.createStatement().execute("SET client_min_messages = warning");
    double[] took = new double[200];
    long rows = 0;
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = -50; i < took.length; i++) {  // the first ones warm up
        Thread.sleep(22);  // an account may ask fifty times a second
        long start = System.nanoTime();
        try (ResultSet result = statement.executeQuery()) {
          while (result.next()) rows += result.getLong(1) + result.getLong(2) == 0 ? 0 : 1;
        }
        if (i >= 0) took[i] = (System.nanoTime() - start) / 1e6;
      }
    }
    Arrays.sort(took);
    System.out.println(took[took.length / 2]);
  }

  static List<String> strings(ResultSet result, String column) throws SQLException {
    List<String> out = new ArrayList<>();
    while (result.next()) out.add(result.getString(column));
    return out;
  }

  static void check(Connection connection) throws SQLException {
    DatabaseMetaData facts = connection.getMetaData();
    expect(facts.getDatabaseMajorVersion() == 15, "version");
    List<String> tables = strings(facts.getTables(null, "public", "%", new String[] {"TABLE"}), "TABLE_NAME");
    expect(tables.equals(List.of("visits", "zips")), "getTables: " + tables);
    expect(strings(facts.getTables(null, null, "vis%", null), "TABLE_NAME").equals(List.of("visits")), "a pattern");
    List<String> columns = new ArrayList<>();
    try (ResultSet result = facts.getColumns(null, "public", "visits", "%")) {
      while (result.next()) {
        columns.add(result.getString("COLUMN_NAME") + " " + result.getString("TYPE_NAME") + " "
            + result.getInt("DATA_TYPE"));
      }
    }
    expect(columns.equals(List.of("clinic text 12", "age int8 -5", "cost numeric 2", "day date 91", "at timestamp 93",
        "smoker bool -7", "ward int8 -5")), "getColumns: " + columns);
    expect(strings(facts.getSchemas(), "TABLE_SCHEM").contains("public"), "getSchemas");
    expect(strings(facts.getCatalogs(), "TABLE_CAT").contains("discreet"), "getCatalogs");
    strings(facts.getTypeInfo(), "TYPE_NAME");
    strings(facts.getTableTypes(), "TABLE_TYPE");
    expect(strings(facts.getPrimaryKeys(null, "public", "visits"), "COLUMN_NAME").isEmpty(), "getPrimaryKeys");
    expect(strings(facts.getIndexInfo(null, "public", "visits", false, false), "INDEX_NAME").isEmpty(), "getIndexInfo");
    expect(strings(facts.getImportedKeys(null, "public", "visits"), "FKCOLUMN_NAME").isEmpty(), "getImportedKeys");
    facts.getSQLKeywords();
    facts.getFunctions(null, null, "%").close();
    facts.getProcedures(null, null, "%").close();
    facts.getTablePrivileges(null, "public", "visits").close();

    Statement plain = connection.createStatement();
    plain.execute("SET discreet.epsilon = 100");
    String question = "SELECT clinic, COUNT(*) AS n, AVG(cost) AS a, MAX(day) AS d, MAX(at) AS t, n_low FROM visits "
        + "WHERE age < ? AND smoker = ? GROUP BY clinic ORDER BY clinic";
    String first = null;
    try (PreparedStatement statement = connection.prepareStatement(question)) {
      expect(statement.getMetaData().getColumnTypeName(2).equals("int8"), "described");
      expect(statement.getParameterMetaData().getParameterTypeName(1).equals("int8"), "parameters");
      for (int i = 0; i < 8; i++) {  // binary from the fifth on
        statement.setInt(1, 100);
        statement.setBoolean(2, true);
        StringBuilder seen = new StringBuilder();
        try (ResultSet result = statement.executeQuery()) {
          while (result.next()) {
            seen.append(result.getString(1)).append(' ').append(result.getLong(2)).append(' ').append(result.getDouble(3))
                .append(' ').append(result.getDate(4)).append(' ').append(result.getTimestamp(5)).append('\n');
          }
        }
        expect(seen.toString().startsWith("east 500 "), seen.toString());
        if (first == null) first = seen.toString();
        expect(first.equals(seen.toString()), "binary differs: " + first + seen);
      }
    }
    expect(plain.getWarnings() == null || plain.getWarnings().getMessage() != null, "warnings");
    connection.setAutoCommit(false);
    try (PreparedStatement statement = connection.prepareStatement("SELECT ward, COUNT(*) FROM visits GROUP BY ward")) {
      statement.setFetchSize(2);  // a portal with a row limit
      int rows = 0;
      try (ResultSet result = statement.executeQuery()) {
        while (result.next()) rows++;
      }
      expect(rows == 4, "rows in parts: " + rows);
    }
    Savepoint savepoint = connection.setSavepoint();
    try {
      plain.execute("SELECT COUNT(*) FROM absent");
      expect(false, "an unknown table");
    } catch (SQLException refused) {
      expect(refused.getSQLState().equals("42704"), refused.getSQLState());
    }
    connection.rollback(savepoint);
    connection.commit();
  }
}
